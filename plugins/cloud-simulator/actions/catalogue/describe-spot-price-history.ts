import type { Action, ActionCall } from '../../dispatch/action.ts';
import { type Pool, priceOf, zoneHas } from '../../capacity.ts';
import { instanceType } from '../../catalogue.ts';
import { offeredTypes } from '../../launch/requirements/instance-requirements.ts';
import { factsOf } from '../../type-facts.ts';
import { AwsError, invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { text, texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml, timestamp } from '../../wire/xml/xml.ts';

const product = 'Linux/UNIX';
const products = [product, `${product} (Amazon VPC)`];
const hourMs = 3_600_000;

/** The beginning of the hour: since when the current prices count as in force. */
const hourOf = (now: number) => Math.floor(now / hourMs) * hourMs;

const fieldsOf = (call: ActionCall): FilterFields<Pool> => ({
  'availability-zone': (pool) => pool.zone,
  'availability-zone-id': (pool) => call.state.network.catalogue.zones.find(({ zone }) => zone === pool.zone)?.zone_id,
  'instance-type': (pool) => pool.instanceType,
  'product-description': () => product,
  'spot-price': (pool) => priceText(call, pool),
  timestamp: () => new Date(hourOf(call.now)).toISOString(),
});

/**
 * Shows the current Spot prices; earlier prices are not stored. A time range has no effect, because each price counts
 * as in force since before the range.
 */
export const describeSpotPriceHistory: Action = {
  name: 'DescribeSpotPriceHistory',
  mutating: false,
  handle(call) {
    const { params, state, now } = call;
    const page = pageRequest(call, { min: 1, max: 1000 });
    const fields = fieldsOf(call);
    const filters = readFilters(params, fields, false);
    const zone = text(params, 'AvailabilityZone');
    if (zone !== undefined && !state.network.zones.includes(zone))
      throw invalidParameter(`Invalid availability zone: [${zone}]`);
    const asked = texts(params, 'ProductDescription');
    const pools = asked.length === 0 || asked.some((one) => products.includes(one)) ? poolsOf(call, zone) : [];
    const { entries, next } = pageOf(
      pools.filter((pool) => passes(pool, filters, fields)),
      page,
    );
    const since = hourOf(now);
    return (
      itemSet(
        'spotPriceHistorySet',
        entries,
        (pool) =>
          leaf('instanceType', pool.instanceType) +
          leaf('productDescription', product) +
          leaf('spotPrice', priceText(call, pool)) +
          timestamp('timestamp', since) +
          leaf('availabilityZone', pool.zone),
      ) + nextTokenXml(next)
    );
  },
};

function poolsOf({ state, params }: ActionCall, zone: string | undefined): Pool[] {
  const names = texts(params, 'InstanceType');
  const unknown = names.find((name) => instanceType(name) === undefined);
  if (unknown !== undefined)
    throw new AwsError('InvalidParameterValue', `Invalid value '${unknown}' for InstanceType.`);
  const zones = zone === undefined ? state.network.zones : [zone];
  return offeredTypes(state)
    .filter((type) => factsOf(type).spot && (names.length === 0 || names.includes(type.instance_type)))
    .flatMap(({ instance_type: name }) =>
      zones
        .filter((one) => zoneHas(state, one, name))
        .map((one) => ({ instanceType: name, zone: one, market: 'spot' as const })),
    );
}

function priceText(call: ActionCall, pool: Pool): string {
  return priceOf(call, pool).toFixed(6);
}
