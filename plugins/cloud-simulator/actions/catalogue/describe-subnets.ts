import type { Action, ActionCall } from '../../dispatch/action.ts';
import { freeAddresses } from '../../capacity.ts';
import { ipv6Block } from '../../state/instances/addresses.ts';
import type { Subnet } from '../../state/network/subnets.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nameTagXml, nextTokenXml } from '../../wire/xml/xml.ts';

const fieldsOf = (call: ActionCall): FilterFields<Subnet> => ({
  ...withoutValue(
    'customer-owned-ipv4-pool',
    'enable-lni-at-device-index',
    'ipv6-cidr-block-association.association-id',
    'outpost-arn',
  ),
  'availability-zone': (subnet) => subnet.zone,
  'availability-zone-id': (subnet) => subnet.zoneId,
  availabilityZone: (subnet) => subnet.zone,
  availabilityZoneId: (subnet) => subnet.zoneId,
  'available-ip-address-count': (subnet) =>
    call.knobs.ipv6_only.includes(subnet.id) ? '0' : String(freeAddresses(call, subnet)),
  cidr: (subnet) => subnet.cidr,
  'cidr-block': (subnet) => subnet.cidr,
  cidrBlock: (subnet) => subnet.cidr,
  'default-for-az': (subnet) => String(subnet.isDefault),
  defaultForAz: (subnet) => String(subnet.isDefault),
  'enable-dns64': () => 'false',
  'ipv6-native': (subnet) => String(call.knobs.ipv6_only.includes(subnet.id)),
  'ipv6-cidr-block-association.ipv6-cidr-block': (subnet) =>
    call.knobs.ipv6_only.includes(subnet.id) ? ipv6Block(subnet) : undefined,
  'ipv6-cidr-block-association.state': (subnet) =>
    call.knobs.ipv6_only.includes(subnet.id) ? 'associated' : undefined,
  'map-customer-owned-ip-on-launch': () => 'false',
  'map-public-ip-on-launch': () => 'false',
  'owner-id': () => call.state.account,
  'private-dns-name-options-on-launch.enable-resource-name-dns-a-record': () => 'false',
  'private-dns-name-options-on-launch.enable-resource-name-dns-aaaa-record': () => 'false',
  'private-dns-name-options-on-launch.hostname-type': () => 'ip-name',
  state: () => 'available',
  'subnet-arn': (subnet) => arnOf(call, subnet),
  'subnet-id': (subnet) => subnet.id,
  'vpc-id': (subnet) => subnet.vpcId,
});

/** Shows the subnets of all VPCs and those that callers have named. Without `strict_ids`, every id is that of a subnet. */
export const describeSubnets: Action = {
  name: 'DescribeSubnets',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'SubnetId' });
    const fields = fieldsOf(call);
    const filters = readFilters(call.params, fields, true);
    const ids = texts(call.params, 'SubnetId');
    const subnets = ids.length > 0 ? ids.map((id) => subnetById(call, id)) : [...call.state.network.subnets()];
    const { entries, next } = pageOf(
      subnets.filter((subnet) => passes(subnet, filters, fields)),
      page,
    );
    return itemSet('subnetSet', entries, (subnet) => subnetXml(call, subnet)) + nextTokenXml(next);
  },
};

function subnetById(call: ActionCall, id: string): Subnet {
  const known = call.state.network.subnet(id);
  if (known?.listed) return known;
  if (call.knobs.strict_ids || !/^subnet-[\w-]+$/.test(id))
    throw new AwsError('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
  return call.state.network.adoptSubnet(id);
}

function arnOf({ state: { account, region } }: ActionCall, subnet: Subnet): string {
  return `arn:aws:ec2:${region}:${account}:subnet/${subnet.id}`;
}

function subnetXml(call: ActionCall, subnet: Subnet): string {
  const { account } = call.state;
  const ipv6Only = call.knobs.ipv6_only.includes(subnet.id);
  return (
    leaf('subnetId', subnet.id) +
    leaf('subnetArn', arnOf(call, subnet)) +
    leaf('state', 'available') +
    leaf('ownerId', account) +
    leaf('vpcId', subnet.vpcId) +
    (ipv6Only ? ipv6Xml(subnet) : leaf('cidrBlock', subnet.cidr)) +
    leaf('availableIpAddressCount', ipv6Only ? 0 : freeAddresses(call, subnet)) +
    leaf('ipv6Native', ipv6Only) +
    leaf('availabilityZone', subnet.zone) +
    leaf('availabilityZoneId', subnet.zoneId) +
    leaf('defaultForAz', subnet.isDefault) +
    leaf('mapPublicIpOnLaunch', false) +
    leaf('assignIpv6AddressOnCreation', ipv6Only) +
    nameTagXml(subnet.name)
  );
}

function ipv6Xml(subnet: Subnet): string {
  const state = '<ipv6CidrBlockState><state>associated</state></ipv6CidrBlockState>';
  return `<ipv6CidrBlockAssociationSet><item>${leaf('ipv6CidrBlock', ipv6Block(subnet))}${state}</item></ipv6CidrBlockAssociationSet>`;
}
