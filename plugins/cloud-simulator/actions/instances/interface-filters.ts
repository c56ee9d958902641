import type { CallContext } from '../../state/call-context.ts';
import type { Instance } from '../../state/instances/instance.ts';
import { interfaceTagsOf } from '../../state/instances/part-tags.ts';
import { type FilterFields, withoutValue } from '../../wire/filters.ts';
import { interfaceOf, type NetworkInterface } from '../../wire/xml/interface-xml.ts';

type Value = ReturnType<FilterFields<Instance>[string]>;

/**
 * The filters about the network interface of a machine, without the prefix `network-interface.` that DescribeInstances
 * puts before them.
 */
export function interfaceFields({ state, now }: CallContext): FilterFields<Instance> {
  const { account, region } = state;
  const of = (value: (at: NetworkInterface, instance: Instance) => Value) => (instance: Instance) => {
    const at = interfaceOf(instance, region, now);
    return at === undefined ? undefined : value(at, instance);
  };
  const spec = (instance: Instance) => instance.reservation.spec;
  const ipOwner = of(({ publicAddress }) => (publicAddress === undefined ? undefined : 'amazon'));
  const publicAddress = of((at) => at.publicAddress);
  const publicDnsName = of((at) => at.publicDnsName);
  const privateDnsName = of((at) => at.privateDnsName);
  return {
    ...withoutValue(
      'addresses.association.allocation-id',
      'addresses.association.association-id',
      'addresses.association.carrier-ip',
      'addresses.association.customer-owned-ip',
      'association.allocation-id',
      'association.association-id',
      'association.carrier-ip',
      'association.customer-owned-ip',
      'description',
      'ipv4-prefixes.ipv4-prefix',
      'ipv6-addresses.is-primary-ipv6',
      'ipv6-prefixes.ipv6-prefix',
      'operator.principal',
      'outpost-arn',
      'requester-id',
    ),
    'addresses.association.ip-owner-id': ipOwner,
    'addresses.association.owner-id': ipOwner,
    'addresses.association.public-dns-name': publicDnsName,
    'addresses.association.public-ip': publicAddress,
    'addresses.primary': of(({ addresses }) => (addresses.length > 1 ? ['true', 'false'] : 'true')),
    'addresses.private-dns-name': privateDnsName,
    'addresses.private-ip-address': of((at) => at.addresses),
    'association.ip-owner-id': ipOwner,
    'association.public-dns-name': publicDnsName,
    'association.public-ip': publicAddress,
    'attachment.attach-time': of((_, i) => new Date(i.launchedAt).toISOString()),
    'attachment.attachment-id': of((at) => at.attachmentId),
    'attachment.delete-on-termination': of(() => 'true'),
    'attachment.device-index': of(() => '0'),
    'attachment.instance-id': of((_, i) => i.id),
    'attachment.instance-owner-id': of(() => account),
    'attachment.network-card-index': of(() => '0'),
    'attachment.status': of(() => 'attached'),
    'availability-zone': of((_, i) => i.zone),
    'availability-zone-id': of((_, i) => i.subnet.zoneId),
    'deny-all-igw-traffic': of(() => 'false'),
    'group-id': of((_, i) => spec(i).network.groups.map((group) => group.id)),
    'group-name': of((_, i) => spec(i).network.groups.map((group) => group.name)),
    'interface-type': of((_, i) => spec(i).network.interfaces[0]?.type),
    'ipv6-address': of((at) => at.ipv6Address),
    'ipv6-addresses.ipv6-address': of((at) => at.ipv6Address),
    'ipv6-native': of(() => 'false'),
    'mac-address': of((at) => at.macAddress),
    'network-interface-id': of((at) => at.id),
    'operator.managed': of(() => 'false'),
    'owner-id': of(() => account),
    'private-dns-name': privateDnsName,
    'private-ip-address': of(({ addresses }) => addresses[0]),
    'public-dns-name': publicDnsName,
    'requester-managed': of(() => 'false'),
    'source-dest-check': of((_, i) => String(spec(i).options.sourceDestCheck)),
    status: of(() => 'in-use'),
    'subnet-id': of((_, i) => i.subnet.id),
    'tag-key': of((_, i) => [...interfaceTagsOf(state, i).keys()]),
    'tag-value': of((_, i) => [...interfaceTagsOf(state, i).values()]),
    'vpc-id': of((_, i) => i.subnet.vpcId),
  };
}
