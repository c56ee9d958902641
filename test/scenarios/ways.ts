import { isError } from '../../core/contract/findings.ts';
import type { ProviderApi } from '../../core/contract/provider/provider-api.ts';
import { asg } from '../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../plugins/cloud-runinstances/index.ts';
import { spotFleet } from '../../plugins/cloud-spotfleet/index.ts';

const prices = ['ondemand', 'spot', 'mixed'] as const;

/** A way to have machines: an API, how its fleets live, and what is paid. */
export interface Way {
  readonly name: string;
  readonly api: string;
  readonly fleet_type?: string;
  readonly price: (typeof prices)[number];
  /** Two machine types that no other way has: what lacks of them, or hangs, is nobody else's concern. */
  readonly types: readonly [string, string];
}

const sizes = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge', '24xlarge'];
const types = ['m5', 'm5a', 'm5d', 'r5', 'r5a', 'c6i', 'm6i'].flatMap((family) =>
  sizes.map((size) => `${family}.${size}`),
);

/** Templates of a way have these fields. */
export const fieldsOf = ({ api, fleet_type, price, types: [first, second] }: Way) => ({
  provider_api: api,
  ...(fleet_type === undefined ? {} : { fleet_type }),
  price_type: price,
  image_id: 'ami-1',
  machine_types: { [first]: 1, [second]: 1 },
});

/** All ways that the APIs do not refuse. */
export const ways: readonly Way[] = [runInstances, ec2Fleet, spotFleet, asg].flatMap((api) => {
  const { name, capabilities, review } = api as ProviderApi;
  const fleets = capabilities.supported_fleet_types.length > 0 ? capabilities.supported_fleet_types : [undefined];
  return fleets.flatMap((fleet_type) =>
    prices.flatMap((price): Way[] => {
      const way: Way = {
        name: [name, fleet_type, price].filter((word) => word !== undefined).join(' '),
        api: name,
        ...(fleet_type === undefined ? {} : { fleet_type }),
        price,
        types: [types.shift() ?? '', types.shift() ?? ''],
      };
      return review?.({ template_id: 't', ...fieldsOf(way) }).some(isError) ? [] : [way];
    }),
  );
});

/** Markets that a way draws on. */
export const marketsOf = ({ price }: Way): readonly ('on-demand' | 'spot')[] =>
  price === 'ondemand' ? ['on-demand'] : price === 'spot' ? ['spot'] : ['spot', 'on-demand'];
