import { familyOf } from './catalogue.ts';
import type { Moment } from './moment.ts';
import type { Market } from './launch/launch-spec.ts';
import type { RegionState } from './state/region-state.ts';
import { AwsError } from './wire/errors.ts';

/** Machines of one type, in one zone, of one market draw from one pool. */
export interface Pool {
  readonly instanceType: string;
  readonly zone: string;
  readonly market: Market;
}

/** Whether a zone has a type at all. */
export function zoneHas(state: RegionState, zone: string, instanceType: string): boolean {
  const entry = state.network.catalogue.zones.find((z) => z.zone === zone);
  return entry !== undefined && !entry.lacks.includes(familyOf(instanceType));
}

/** Free places of a pool; infinite unless a capacity rule matches it. */
export function roomIn(moment: Moment, pool: Pool): number {
  const { state, knobs, rules } = moment;
  const rule = knobs.capacity.findLast(
    (r) =>
      rules.inForce(r, moment) &&
      matches(r.instance_type, pool.instanceType) &&
      matches(r.zone, pool.zone) &&
      matches(r.market, pool.market),
  );
  if (rule === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, rule.count - (state.placesTaken.get(poolKey(pool)) ?? 0));
}

/** Notes that `change` machines more hold a place of the pool. */
export function takePlaces(state: RegionState, pool: Pool, change: number): void {
  const key = poolKey(pool);
  state.placesTaken.set(key, (state.placesTaken.get(key) ?? 0) + change);
}

export function insufficientCapacity(pool: Pool): AwsError {
  const { instanceType, zone, market } = pool;
  if (market === 'spot')
    return new AwsError('InsufficientInstanceCapacity', 'There is no Spot capacity available that matches your request.');
  return new AwsError(
    'InsufficientInstanceCapacity',
    `We currently do not have sufficient ${instanceType} capacity in the Availability Zone you requested (${zone}). Our system will be working on provisioning additional capacity.`,
  );
}

export function unsupportedInZone(pool: Pool): AwsError {
  return new AwsError(
    'Unsupported',
    `Your requested instance type (${pool.instanceType}) is not supported in your requested Availability Zone (${pool.zone}).`,
  );
}

function poolKey(pool: Pool): string {
  return `${pool.instanceType}/${pool.zone}/${pool.market}`;
}

function matches(pattern: string | undefined, value: string): boolean {
  return pattern === undefined || pattern === '*' || pattern === value;
}
