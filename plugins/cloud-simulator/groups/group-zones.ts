import type { CallContext } from '../state/call-context.ts';
import type { GroupConfig } from '../state/groups.ts';
import { type Params, text } from '../wire/form.ts';
import { memberTexts } from '../wire/members.ts';
import { validationError } from './refusals.ts';

type GroupZones = Pick<GroupConfig, 'zones' | 'subnets'>;

/**
 * Reads `AvailabilityZones` and `VPCZoneIdentifier`, a comma-separated list of subnets. The subnets determine the
 * zones.
 */
export function readGroupZones(context: CallContext, params: Params, old: GroupZones | undefined): GroupZones {
  const zones = [...new Set(memberTexts(params, 'AvailabilityZones'))];
  const ids = [...new Set((text(params, 'VPCZoneIdentifier') ?? '').split(',').map((id) => id.trim()))].filter(
    (id) => id !== '',
  );
  if (zones.length === 0 && ids.length === 0) {
    if (old !== undefined) return { zones: old.zones, subnets: old.subnets };
    throw validationError('At least one Availability Zone or VPC Subnet is required.');
  }
  const unknown = zones.find((zone) => !context.state.network.zones.includes(zone));
  if (unknown !== undefined) throw validationError(`Invalid Availability Zone: [${unknown}]`);
  if (ids.length === 0) return { zones, subnets: [] };
  const homes = [...new Set(ids.map((id, index) => zoneOf(context, id, zones[index % zones.length])))];
  const outside = zones.length === 0 ? undefined : homes.find((zone) => !zones.includes(zone));
  if (outside !== undefined)
    throw validationError(
      `The availability zones of the specified subnets and the Auto Scaling group do not match: ${outside}`,
    );
  return { zones: homes, subnets: ids };
}

/** The zone of a subnet. An unknown subnet is created in `wanted`. */
function zoneOf(context: CallContext, id: string, wanted: string | undefined): string {
  const { network } = context.state;
  const known = network.subnet(id);
  if (known === undefined && (context.knobs.strict_ids || !/^subnet-[\w-]+$/.test(id)))
    throw validationError(`The subnet ID '${id}' does not exist`);
  if (known !== undefined && !known.listed && context.knobs.strict_ids)
    throw validationError(`The subnet ID '${id}' does not exist`);
  return (known ?? network.adoptSubnet(id, wanted)).zone;
}
