import type { MachineType, Offer, OfferTerms, Price } from '../../../core/index.ts';
import { instanceType } from '../catalogue/index.ts';
import type { Pool } from '../launch/pools.ts';
import { weightOf } from '../launch/pools.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { machinePrice } from './machine-price.ts';
import type { Prices } from './settings.ts';

/** The parts of a native specification that may name other machine types than the template. */
const namesTypes =
  /"(InstanceType|InstanceTypes|InstanceRequirements|LaunchTemplateConfigs|LaunchSpecifications|Overrides|MixedInstancesPolicy)"/;

const isNative = ({ launch_template_spec, provider_api_spec }: CloudTemplate): boolean =>
  namesTypes.test(JSON.stringify([launch_template_spec, provider_api_spec]));

/**
 * What a machine of each pool takes of a budget at most. A Spot machine counts with the list price, and with the limit
 * of the template where that is higher: its price may rise until it comes. Nothing is known of pools whose types a
 * native specification, attributes or a launch template names, except the number of vCPUs that attributes allow.
 */
export function offerTerms(
  offers: readonly Offer[],
  template: CloudTemplate,
  { region = 'us-east-1', prices = {} }: { readonly region?: string; readonly prices?: Prices },
  known: (name: string) => MachineType | undefined,
): readonly OfferTerms[] {
  const native = isNative(template);
  return (offers as readonly Pool[]).map(({ machine_type, market }) => {
    const most = native || machine_type !== undefined ? undefined : vcpusAllowed(template);
    const type = native ? undefined : machine_type;
    const vcpus = type === undefined ? most : (known(type)?.vcpus ?? instanceType(type)?.vcpus);
    const price =
      type === undefined ? undefined : machinePrice({ region, prices }, { machine_type: type, market }, undefined);
    return {
      market,
      ...(vcpus === undefined ? {} : { vcpus }),
      ...(price === undefined ? {} : { price: market === 'spot' ? atMost(price, template, type, prices) : price }),
    };
  });
}

/** The highest price that a Spot machine may have. */
function atMost(price: Price, template: CloudTemplate, type: string | undefined, { factor = 1 }: Prices): Price {
  if (price.source === 'own' || template.max_price === undefined) return price;
  const limit = Number(template.max_price) * weightOf(template, type) * factor;
  return limit > price.usd_per_hour ? { ...price, usd_per_hour: Math.round(limit * 1e6) / 1e6 } : price;
}

/** The most vCPUs that the attributes of a template allow. */
function vcpusAllowed({ instance_requirements }: CloudTemplate): number | undefined {
  const count = instance_requirements?.['VCpuCount'] as { readonly Max?: unknown } | undefined;
  return typeof count?.Max === 'number' ? count.Max : undefined;
}
