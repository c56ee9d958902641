import { createHash } from 'node:crypto';
import type { Moment } from '../moment.ts';
import type { Subnet } from '../state/subnets.ts';
import { AwsError, invalidCombination, invalidParameter } from '../wire/errors.ts';
import { type Params, part, parts, text, texts } from '../wire/form.ts';
import { flag } from '../wire/values.ts';

/** Where a launch may go and how its machines are connected. */
export interface LaunchNetwork {
  /** The subnet that was named; decides the zone. */
  readonly subnet: Subnet | undefined;
  /** The zone that was named, or that of the subnet; undefined = any zone of the region. */
  readonly zone: string | undefined;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly publicAddress: boolean;
}

/** Reads subnet, zone, groups and interfaces of a launch, and refuses what EC2 refuses to combine. */
export function readLaunchNetwork(moment: Moment, all: Params): LaunchNetwork {
  const interfaces = parts(all, 'NetworkInterface');
  const first = interfaces[0];
  const ownSubnet = text(all, 'SubnetId');
  const ownGroups = [...texts(all, 'SecurityGroupId'), ...texts(all, 'SecurityGroup')];
  if (first !== undefined && ownGroups.length > 0) {
    throw invalidCombination('Network interfaces and an instance-level security groups may not be specified on the same request');
  }
  if (first !== undefined && ownSubnet !== undefined) {
    throw invalidCombination('Network interfaces and an instance-level subnet ID may not be specified on the same request');
  }
  if (interfaces.length > 1 && interfaces.some((one) => flag(one, 'AssociatePublicIpAddress') === true)) {
    throw invalidCombination('The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.');
  }

  const zone = text(part(all, 'Placement'), 'AvailabilityZone');
  if (zone !== undefined && !moment.state.network.zones.includes(zone)) throw invalidParameter(`Invalid availability zone: [${zone}]`);
  const subnet = readSubnet(moment, ownSubnet ?? text(first, 'SubnetId'), zone);
  if (subnet !== undefined && zone !== undefined && subnet.zone !== zone) {
    throw invalidParameter(
      `The availability zone '${zone}' does not match the availability zone '${subnet.zone}' of subnet '${subnet.id}'.`,
    );
  }
  return {
    subnet,
    zone: subnet?.zone ?? zone,
    groups: readGroups(moment, first === undefined ? all : { SecurityGroupId: part(first, 'SecurityGroupId') ?? {} }),
    publicAddress: flag(first, 'AssociatePublicIpAddress') ?? false,
  };
}

function readSubnet(moment: Moment, id: string | undefined, zone: string | undefined): Subnet | undefined {
  if (id === undefined) return undefined;
  const known = moment.state.network.subnet(id);
  if (known?.listed) return known;
  if (moment.knobs.strict_ids || !/^subnet-[\w-]+$/.test(id))
    throw new AwsError('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
  return known ?? moment.state.network.adoptSubnet(id, zone);
}

function readGroups(moment: Moment, params: Params): { id: string; name: string }[] {
  const { catalogue } = moment.state.network;
  const byId = texts(params, 'SecurityGroupId').map((id) => {
    if (!/^sg-[\w-]+$/.test(id)) throw new AwsError('InvalidGroupId.Malformed', `Invalid id: "${id}" (expecting "sg-...")`);
    const known = moment.state.network.group(id);
    if (known === undefined && moment.knobs.strict_ids)
      throw new AwsError('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
    return { id, name: known?.group_name ?? id };
  });
  const byName = texts(params, 'SecurityGroup').map((name) => {
    const known = catalogue.security_groups.find((group) => group.group_name === name);
    if (known === undefined && moment.knobs.strict_ids)
      throw new AwsError('InvalidGroup.NotFound', `The security group '${name}' does not exist`);
    return { id: known?.group_id ?? `sg-0${createHash('sha256').update(name).digest('hex').slice(0, 16)}`, name };
  });
  const groups = [...byId, ...byName];
  if (groups.length > 0) return groups;
  const fallback = catalogue.security_groups[0];
  return fallback === undefined ? [] : [{ id: fallback.group_id, name: fallback.group_name }];
}
