import { createHash } from 'node:crypto';
import type { CatalogueInstanceType, CatalogueSecurityGroup } from '../../catalogue.ts';
import type { CallContext } from '../../state/call-context.ts';
import type { Subnet } from '../../state/network/subnets.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, parts, text, texts } from '../../wire/form.ts';
import { flag, integer } from '../../wire/values.ts';
import { readInterfaces } from '../checks/launch-interfaces.ts';
import type { LaunchNetwork } from './launch-spec.ts';

const maxGroups = 5;

/** Reads subnet, zone, groups and interfaces of a launch, and refuses combinations that EC2 refuses. */
export function readLaunchNetwork(context: CallContext, all: Params, type: CatalogueInstanceType): LaunchNetwork {
  const interfaces = parts(all, 'NetworkInterface');
  checkInterfaces(all, interfaces);
  const first = interfaces[0];
  const zone = readZone(context, part(all, 'Placement'));
  const subnet = readSubnet(context, text(all, 'SubnetId') ?? text(first, 'SubnetId'), zone);
  if (subnet !== undefined && zone !== undefined && subnet.zone !== zone) {
    throw invalidParameter(
      `The availability zone '${zone}' does not match the availability zone '${subnet.zone}' of subnet '${subnet.id}'.`,
    );
  }
  const named = first === undefined ? all : { SecurityGroupId: part(first, 'SecurityGroupId') ?? {} };
  const groups = readGroups(context, named, subnet?.vpcId);
  if (subnet !== undefined) checkNetwork(context, groups, subnet);
  if (groups.length > maxGroups)
    throw new AwsError(
      'SecurityGroupsPerInterfaceLimitExceeded',
      `A network interface can have at most ${maxGroups} security groups.`,
    );
  return {
    subnet,
    zone: subnet?.zone ?? zone,
    groups,
    publicAddress: flag(first, 'AssociatePublicIpAddress') ?? false,
    secondaryAddresses: readSecondary(first),
    interfaces: readInterfaces(interfaces, type),
    address: readAddress(context, text(all, 'PrivateIpAddress') ?? text(first, 'PrivateIpAddress'), subnet),
  };
}

function checkInterfaces(all: Params, interfaces: readonly Params[]): void {
  const named = all['SecurityGroup'] !== undefined;
  if (named && all['SubnetId'] !== undefined)
    throw invalidCombination('The parameter groupName cannot be used with the parameter subnet');
  if (interfaces.length === 0) return;
  if (named || all['SecurityGroupId'] !== undefined) {
    throw invalidCombination(
      'Network interfaces and an instance-level security groups may not be specified on the same request',
    );
  }
  if (all['SubnetId'] !== undefined) {
    throw invalidCombination(
      'Network interfaces and an instance-level subnet ID may not be specified on the same request',
    );
  }
  if (all['PrivateIpAddress'] !== undefined) {
    throw invalidCombination(
      'Network interfaces and an instance-level private address may not be specified on the same request',
    );
  }
  const indexes = interfaces.map((one) => `${integer(one, 'NetworkCardIndex') ?? 0}/${integer(one, 'DeviceIndex')}`);
  if (interfaces.some((one) => one['DeviceIndex'] === undefined && one['NetworkInterfaceId'] === undefined))
    throw missingParameter('NetworkInterface.DeviceIndex');
  if (new Set(indexes).size < indexes.length)
    throw invalidParameter('Each network interface requires a device index of its own.');
  if (interfaces.length > 1 && interfaces.some((one) => flag(one, 'AssociatePublicIpAddress') === true)) {
    throw invalidCombination(
      'The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.',
    );
  }
  for (const one of interfaces) {
    const id = text(one, 'NetworkInterfaceId');
    if (id !== undefined && !/^eni-[\w-]+$/.test(id))
      throw new AwsError('InvalidNetworkInterfaceId.Malformed', `Invalid id: "${id}" (expecting "eni-...")`);
    if (id !== undefined && (one['SubnetId'] !== undefined || one['SecurityGroupId'] !== undefined))
      throw invalidCombination(
        'A subnet and security groups may not be specified with an existing network interface.',
      );
  }
}

/** Throws if every network interface of a launch exists already: then there is none to tag. */
export function checkCreatesInterface(all: Params): void {
  const interfaces = parts(all, 'NetworkInterface');
  if (interfaces.length === 0 || interfaces.some((one) => text(one, 'NetworkInterfaceId') === undefined)) return;
  throw invalidParameter(
    'Tags for network interfaces cannot be specified when the request does not create any network interface.',
  );
}

/** The zone that a placement names, by its name or its id. */
function readZone(context: CallContext, placement: Params | undefined): string | undefined {
  const name = text(placement, 'AvailabilityZone');
  const id = text(placement, 'AvailabilityZoneId');
  if (name !== undefined && id !== undefined)
    throw invalidCombination('Only one of AvailabilityZone and AvailabilityZoneId may be specified.');
  const zones = context.state.network.catalogue.zones;
  const found =
    name === undefined && id === undefined
      ? undefined
      : zones.find((zone) => (id === undefined ? zone.zone === name : zone.zone_id === id));
  if (found === undefined && name !== undefined) throw invalidParameter(`Invalid availability zone: [${name}]`);
  if (found === undefined && id !== undefined) throw invalidParameter(`Invalid availability zone-id: [${id}]`);
  return found?.zone;
}

function readAddress(
  context: CallContext,
  address: string | undefined,
  subnet: Subnet | undefined,
): number | undefined {
  if (address === undefined) return undefined;
  if (subnet === undefined)
    throw invalidCombination('A private address can only be specified together with a subnet.');
  if (context.knobs.ipv6_only.includes(subnet.id))
    throw invalidCombination(
      `The subnet '${subnet.id}' has IPv6 addresses only, and cannot give a private IPv4 address.`,
    );
  const offset = subnet.offset(address);
  if (offset === undefined)
    throw invalidParameter(`Address ${address} does not fall within the subnet's address range`);
  return offset;
}

function readSecondary(one: Params | undefined): number {
  const count = integer(one, 'SecondaryPrivateIpAddressCount') ?? 0;
  if (count < 0) throw invalidParameter(`Value (${count}) for parameter secondaryPrivateIpAddressCount is invalid.`);
  return count;
}

function readSubnet(context: CallContext, id: string | undefined, zone: string | undefined): Subnet | undefined {
  if (id === undefined) return undefined;
  const known = context.state.network.subnet(id);
  if (known?.listed) return known;
  if (context.knobs.strict_ids || !/^subnet-[\w-]+$/.test(id))
    throw new AwsError('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
  return known ?? context.state.network.adoptSubnet(id, zone);
}

type Group = LaunchNetwork['groups'][number];

// One object for each group of the catalogue, shared by all launches.
const listed = new WeakMap<CatalogueSecurityGroup, Group>();

function groupOf(known: CatalogueSecurityGroup): Group {
  const made = listed.get(known) ?? { id: known.group_id, name: known.group_name };
  listed.set(known, made);
  return made;
}

/** A launch has its subnet and its groups in one VPC. */
function checkNetwork({ state }: CallContext, groups: readonly Group[], { id, vpcId }: Subnet): void {
  const strange = groups.find((group) => (state.network.group(group.id)?.vpc_id ?? vpcId) !== vpcId);
  if (strange === undefined) return;
  throw new AwsError(
    'InvalidParameter',
    `Security group ${strange.id} and subnet ${id} belong to different networks.`,
  );
}

/**
 * The security groups that `SecurityGroupId.N` and `SecurityGroup.N` name; without a name the first group of the VPC,
 * which is by default the default VPC.
 */
export function readGroups(context: CallContext, params: Params, vpcId?: string): Group[] {
  const all = context.state.network.groups();
  const byId = texts(params, 'SecurityGroupId').map((id) => {
    if (!/^sg-[\w-]+$/.test(id))
      throw new AwsError('InvalidGroupId.Malformed', `Invalid id: "${id}" (expecting "sg-...")`);
    const known = context.state.network.group(id);
    if (known === undefined && context.knobs.strict_ids) throw noGroup(id);
    return known === undefined ? { id, name: id } : groupOf(known);
  });
  const byName = texts(params, 'SecurityGroup').map((name) => {
    const known = all.find((group) => group.group_name === name);
    if (known === undefined && context.knobs.strict_ids) throw noGroup(name);
    return known === undefined
      ? { id: `sg-0${createHash('sha256').update(name).digest('hex').slice(0, 16)}`, name }
      : groupOf(known);
  });
  const groups = [...byId, ...byName];
  const fallback = all.find((group) => vpcId === undefined || group.vpc_id === vpcId);
  return groups.length > 0 || fallback === undefined ? groups : [groupOf(fallback)];
}

function noGroup(named: string): AwsError {
  return new AwsError('InvalidGroup.NotFound', `The security group '${named}' does not exist`);
}
