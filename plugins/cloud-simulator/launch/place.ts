import { insufficientCapacity, type Pool, roomIn, unsupportedInZone, zoneHas } from '../capacity.ts';
import type { Moment } from '../moment.ts';
import type { Subnet } from '../state/subnets.ts';
import { AwsError } from '../wire/errors.ts';
import type { LaunchSpec } from './launch-spec.ts';

/** One place where a launch can go, and how many machines find room there. */
export interface Placement {
  readonly pool: Pool;
  readonly subnet: Subnet;
  readonly room: number;
  /** Why no more than `room` machines can come. */
  readonly refusal: AwsError;
}

/** The place of a launch: its subnet, its zone, or the zone of the region that has most room. */
export function place(moment: Moment, spec: LaunchSpec): Placement {
  const { subnet, zone } = spec.network;
  if (subnet !== undefined) return placementIn(moment, spec, subnet);
  const zones = zone === undefined ? moment.state.network.zones : [zone];
  const placements = zones.map((name) => placementIn(moment, spec, moment.state.network.defaultSubnet(name)));
  return placements.reduce((best, next) => (next.room > best.room ? next : best));
}

function placementIn(moment: Moment, spec: LaunchSpec, subnet: Subnet): Placement {
  const pool: Pool = { instanceType: spec.type.instance_type, zone: subnet.zone, market: spec.market };
  if (!zoneHas(moment.state, subnet.zone, pool.instanceType)) return { pool, subnet, room: 0, refusal: unsupportedInZone(pool) };
  if (spec.market === 'spot' && spec.maxPrice !== undefined && spec.maxPrice < spec.type.spot_price) {
    return { pool, subnet, room: 0, refusal: priceTooLow(spec.maxPrice, spec.type.spot_price) };
  }
  const places = roomIn(moment, pool);
  const addresses = subnet.free();
  return addresses < places
    ? { pool, subnet, room: addresses, refusal: noAddresses(subnet) }
    : { pool, subnet, room: places, refusal: insufficientCapacity(pool) };
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
