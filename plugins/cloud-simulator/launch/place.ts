import {
  freeAddresses,
  noRoom,
  type Pool,
  poolKey,
  priceOf,
  roomIn,
  unsupportedInZone,
  zoneHas,
} from '../capacity.ts';
import type { CallContext } from '../state/call-context.ts';
import { isOut, unavailable } from '../state/outages.ts';
import { allowance } from '../state/quotas.ts';
import type { Subnet } from '../state/network/subnets.ts';
import { AwsError } from '../wire/errors.ts';
import { blockOf } from './checks/capacity-block.ts';
import type { LaunchSpec } from './specification/launch-spec.ts';

/** A limited resource that every machine uses: places of a pool, addresses of a subnet, a quota. */
export interface Bound {
  /** Launches with equal keys draw from the same resource. */
  readonly key: string;
  readonly left: number;
  readonly each: number;
  /** The error when too little is left. */
  refusal(): AwsError;
}

/** A place of a launch, and how many machines fit there. */
export interface Placement {
  readonly pool: Pool;
  readonly subnet: Subnet;
  readonly room: number;
  /** The error if more than `room` machines must start. */
  readonly refusal: AwsError;
  /** The bounds of `room`; empty if nothing can be launched there. */
  readonly bounds: readonly Bound[];
}

/** The place of a launch: its subnet, its zone, or the zone of the region that has the most room. */
export function place(context: CallContext, spec: LaunchSpec): Placement {
  const { subnet, zone } = spec.network;
  if (subnet !== undefined) return placeIn(context, spec, subnet);
  const zones = zone === undefined ? context.state.network.zones : [zone];
  const placements = zones.map((name) => placeIn(context, spec, context.state.network.defaultSubnet(name)));
  return placements.reduce((best, next) => (next.room > best.room ? next : best));
}

/** The place of a launch that names none, in the first zone that offers the type. */
export function placeInFirstZone(context: CallContext, spec: LaunchSpec): Placement {
  const { zones, defaultSubnet } = context.state.network;
  const zone = zones.find((name) => zoneHas(context.state, name, spec.type.instance_type)) ?? (zones[0] as string);
  return placeIn(context, spec, defaultSubnet(zone));
}

/** Number of machines that a bound still allows. */
export function machinesIn(bound: Bound): number {
  return Math.floor(bound.left / bound.each);
}

/** The placement of a launch in a subnet. */
export function placeIn(context: CallContext, spec: LaunchSpec, subnet: Subnet): Placement {
  const pool = poolOf(context, spec, subnet.zone);
  const obstacle = obstacleIn(context, spec, pool);
  if (obstacle !== undefined) return { pool, subnet, room: 0, refusal: obstacle, bounds: [] };
  const bounds = boundsIn(context, spec, pool, subnet);
  const tightest = bounds.reduce((least, next) => (machinesIn(next) < machinesIn(least) ? next : least));
  return { pool, subnet, room: machinesIn(tightest), refusal: tightest.refusal(), bounds };
}

/** The pool of a launch in a zone. */
export function poolOf(context: Pick<CallContext, 'knobs'>, spec: LaunchSpec, zone: string): Pool {
  return { instanceType: spec.type.instance_type, zone, market: spec.market, block: blockOf(context, spec) };
}

function obstacleIn(context: CallContext, spec: LaunchSpec, pool: Pool): AwsError | undefined {
  if (isOut(context, pool.zone)) return unavailable(pool.zone);
  if (!zoneHas(context.state, pool.zone, pool.instanceType)) return unsupportedInZone(pool);
  if (spec.market !== 'spot') return undefined;
  const price = priceOf(context, pool);
  const offer = spec.maxPrice ?? priceOf(context, { ...pool, market: 'on-demand' });
  return offer < price ? priceTooLow(offer, price) : undefined;
}

// The order determines the error when two bounds are equally tight.
function boundsIn(context: CallContext, spec: LaunchSpec, pool: Pool, subnet: Subnet): Bound[] {
  const places: Bound = {
    key: poolKey(pool),
    left: roomIn(context, pool),
    each: 1,
    refusal: () => noRoom(context, pool),
  };
  const addresses: Bound = {
    key: subnet.id,
    left: freeAddresses(context, subnet),
    each: 1 + spec.network.secondaryAddresses,
    refusal: () => noAddresses(subnet),
  };
  const quota = allowance(context.knobs.quotas, context.state.usage, spec.type, spec.market);
  return quota === undefined ? [places, addresses] : [{ key: `quota/${spec.market}`, ...quota }, places, addresses];
}

function priceTooLow(offered: number, price: number): AwsError {
  return new AwsError(
    'SpotMaxPriceTooLow',
    `Your Spot request price of ${offered} is lower than the minimum required Spot request fulfillment price of ${price}.`,
  );
}

function noAddresses(subnet: Subnet): AwsError {
  return new AwsError(
    'InsufficientFreeAddressesInSubnet',
    `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
  );
}
