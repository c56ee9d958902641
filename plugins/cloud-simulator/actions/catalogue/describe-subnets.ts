import type { Action, ActionCall } from '../../dispatch/action.ts';
import { freeAddresses } from '../../capacity.ts';
import { ipv6Block } from '../../state/instances/addresses.ts';
import type { Subnet } from '../../state/network/subnets.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';

const fieldsOf = (call: ActionCall): FilterFields<Subnet> => ({
  'availability-zone': (subnet) => subnet.zone,
  availabilityZone: (subnet) => subnet.zone,
  'available-ip-address-count': (subnet) =>
    call.knobs.ipv6_only.includes(subnet.id) ? '0' : String(freeAddresses(call, subnet)),
  'ipv6-native': (subnet) => String(call.knobs.ipv6_only.includes(subnet.id)),
  cidr: (subnet) => subnet.cidr,
  'cidr-block': (subnet) => subnet.cidr,
  'default-for-az': (subnet) => String(subnet.listed),
  state: () => 'available',
  'subnet-id': (subnet) => subnet.id,
  'vpc-id': (subnet) => subnet.vpcId,
});

/** Shows the default subnets and those that callers have named. Without `strict_ids`, every id is that of a subnet. */
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

function subnetXml(call: ActionCall, subnet: Subnet): string {
  const { account, region, network } = call.state;
  const ipv6Only = call.knobs.ipv6_only.includes(subnet.id);
  const zoneId = network.catalogue.zones.find((zone) => zone.zone === subnet.zone)?.zone_id;
  return (
    leaf('subnetId', subnet.id) +
    leaf('subnetArn', `arn:aws:ec2:${region}:${account}:subnet/${subnet.id}`) +
    leaf('state', 'available') +
    leaf('ownerId', account) +
    leaf('vpcId', subnet.vpcId) +
    (ipv6Only ? ipv6Xml(subnet) : leaf('cidrBlock', subnet.cidr)) +
    leaf('availableIpAddressCount', ipv6Only ? 0 : freeAddresses(call, subnet)) +
    leaf('ipv6Native', ipv6Only) +
    leaf('availabilityZone', subnet.zone) +
    leaf('availabilityZoneId', zoneId) +
    leaf('defaultForAz', subnet.listed) +
    leaf('mapPublicIpOnLaunch', false) +
    leaf('assignIpv6AddressOnCreation', ipv6Only) +
    '<tagSet/>'
  );
}

function ipv6Xml(subnet: Subnet): string {
  const state = '<ipv6CidrBlockState><state>associated</state></ipv6CidrBlockState>';
  return `<ipv6CidrBlockAssociationSet><item>${leaf('ipv6CidrBlock', ipv6Block(subnet))}${state}</item></ipv6CidrBlockAssociationSet>`;
}
