import { familyOf, instanceType } from './catalogue.ts';
import type { CapacityBlock, PoolPattern } from './knobs/launch-knobs.ts';
import { blockExceeded } from './launch/checks/capacity-block.ts';
import type { Market } from './launch/specification/launch-spec.ts';
import type { CallContext, RegionState } from './state/call-context.ts';
import { fits } from './pattern.ts';
import type { Subnet } from './state/network/subnets.ts';
import { AwsError } from './wire/errors.ts';

/** A capacity pool: the machines of one type, in one zone, of one market. */
export interface Pool {
  readonly instanceType: string;
  readonly zone: string;
  readonly market: Market;
  /** The capacity block that has the places of the pool. */
  readonly block?: CapacityBlock | undefined;
}

/** Whether a zone offers an instance type. */
export function zoneHas(state: RegionState, zone: string, instanceType: string): boolean {
  const entry = state.network.catalogue.zones.find((z) => z.zone === zone);
  return entry !== undefined && !entry.lacks.includes(familyOf(instanceType));
}

/** Free places of a pool; infinite unless a capacity rule matches it. */
export function roomIn(context: CallContext, pool: Pool): number {
  if (pool.block !== undefined) return roomInBlock(context, pool, pool.block);
  const rule = lastFor(context, context.knobs.capacity, pool);
  if (rule === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, rule.count - (context.state.placesTaken.get(poolKey(pool)) ?? 0));
}

function roomInBlock(context: CallContext, pool: Pool, block: CapacityBlock): number {
  const open = context.rules.inForce(block, context) && block.zone === pool.zone;
  return open ? Math.max(0, block.count - (context.state.placesTaken.get(poolKey(pool)) ?? 0)) : 0;
}

/** The error when all places of a pool are taken. */
export function noRoom(context: CallContext, pool: Pool): AwsError {
  if (pool.block !== undefined) return blockExceeded(pool.block);
  const code = lastFor(context, context.knobs.capacity, pool)?.code;
  const usual = insufficientCapacity(pool);
  return code === undefined || code === usual.code ? usual : new AwsError(code, usual.message);
}

/** The price of a machine of the pool, in US dollars an hour. */
export function priceOf(context: CallContext, pool: Pool): number {
  const rule = lastFor(context, context.knobs.prices, pool);
  if (rule !== undefined) return rule.price;
  const type = instanceType(pool.instanceType);
  return (pool.market === 'spot' ? type?.spot_price : type?.on_demand_price) ?? 0;
}

/** Addresses of a subnet that a machine may still get. */
export function freeAddresses(context: CallContext, subnet: Subnet): number {
  const rule = context.knobs.addresses.findLast((one) => one.subnet_id === subnet.id);
  if (context.knobs.ipv6_only.includes(subnet.id)) return Number.POSITIVE_INFINITY;
  const free = subnet.free();
  return rule === undefined ? free : Math.max(0, Math.min(free, rule.count - subnet.taken()));
}

/** Adds `change` to the number of machines that hold a place of the pool. */
export function takePlaces(state: RegionState, pool: Pool, change: number): void {
  const key = poolKey(pool);
  state.placesTaken.set(key, (state.placesTaken.get(key) ?? 0) + change);
}

export function insufficientCapacity(pool: Pool): AwsError {
  const { instanceType, zone, market } = pool;
  if (market === 'spot')
    return new AwsError(
      'InsufficientInstanceCapacity',
      'There is no Spot capacity available that matches your request.',
    );
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

/** A unique key of the pool. */
export function poolKey(pool: Pool): string {
  return pool.block === undefined
    ? `${pool.instanceType}/${pool.zone}/${pool.market}`
    : `${pool.block.id}/${pool.zone}/${pool.market}`;
}

function lastFor<Rule extends PoolPattern>(context: CallContext, list: readonly Rule[], pool: Pool): Rule | undefined {
  return list.findLast(
    (rule) =>
      context.rules.inForce(rule, context) &&
      fits(rule.instance_type, pool.instanceType) &&
      fits(rule.zone, pool.zone) &&
      fits(rule.market, pool.market),
  );
}
