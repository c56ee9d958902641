import type { CallContext } from '../../state/call-context.ts';
import type { FleetPool } from '../../state/fleets/fleet-pool.ts';
import { AwsError } from '../../wire/errors.ts';
import { part, parts, text } from '../../wire/form.ts';

/**
 * Throws if two pools are the same for EC2: a type, or attributes, in a zone. Two subnets of a zone make the same
 * pool, in two overrides or in the list of one.
 */
export function checkDistinct(context: CallContext, pools: readonly FleetPool[]): void {
  const seen = new Set<string>();
  for (const pool of pools) {
    for (const zone of zonesOf(context, pool)) {
      const key = `${typeOf(pool)} in ${zone}`;
      if (seen.has(key))
        throw new AwsError(
          'InvalidFleetConfig',
          `The configuration of the fleet has duplicate instance pools: ${key}.`,
        );
      seen.add(key);
    }
  }
}

function typeOf({ override, requirements, data }: FleetPool): string {
  const named = text(override, 'InstanceType');
  return named ?? (requirements === undefined ? text(data, 'InstanceType') : JSON.stringify(requirements)) ?? '*';
}

/** The zones of a pool, one for each place; `*` where nothing names a zone. */
function zonesOf(context: CallContext, { subnets, zones, data }: FleetPool): readonly string[] {
  const named = zones.length === 1 ? zones[0] : undefined;
  if (subnets.length > 0) return subnets.map((id) => zoneOf(context, id, named));
  if (zones.length > 0) return zones;
  const subnet = text(data, 'SubnetId') ?? text(parts(data, 'NetworkInterface')[0], 'SubnetId');
  if (subnet !== undefined) return [zoneOf(context, subnet, undefined)];
  return [text(part(data, 'Placement'), 'AvailabilityZone') ?? '*'];
}

/** The zone of a subnet; the id itself if there is no such subnet, which the launch reports. */
function zoneOf({ state, knobs }: CallContext, id: string, zone: string | undefined): string {
  const known = state.network.subnet(id);
  if (known !== undefined) return known.zone;
  return knobs.strict_ids || !/^subnet-[\w-]+$/.test(id) ? id : state.network.adoptSubnet(id, zone).zone;
}
