import { type Instance, stateOf } from '../../state/instances/instance.ts';
import { ipv6Address, privateAddress, privateName } from '../../state/instances/addresses.ts';
import { attachmentXml } from './further-interfaces-xml.ts';
import { leaf, node } from './xml.ts';

/** The account and the region of a machine. */
export interface Owner {
  readonly account: string;
  readonly region: string;
}

/** The network interface of a machine. Everything follows from the machine. */
export interface NetworkInterface {
  readonly id: string;
  readonly attachmentId: string;
  readonly macAddress: string;
  /** Private IPv4 addresses, the primary one first; empty in a subnet that has IPv6 addresses only. */
  readonly addresses: readonly string[];
  readonly ipv6Address: string | undefined;
  readonly privateDnsName: string;
  /** Only while the machine runs. */
  readonly publicAddress: string | undefined;
  readonly publicDnsName: string | undefined;
}

/** The interface of a machine that is not terminated; a terminated machine has none. */
export function interfaceOf(instance: Instance, region: string, now: number): NetworkInterface | undefined {
  const state = stateOf(instance, now);
  if (state === 'terminated') return undefined;
  const suffix = instance.id.slice(2);
  const { subnet } = instance;
  const address = privateAddress(instance);
  const isPublic = instance.reservation.spec.network.publicAddress && state === 'running';
  const publicAddress = isPublic ? address?.replace(/^10\./, '54.') : undefined;
  return {
    id: `eni-${suffix}`,
    attachmentId: `eni-attach-${suffix}`,
    // The second lowest bit of the first byte marks an address that no manufacturer gave out.
    macAddress: `02:${(suffix.slice(-10).match(/../g) ?? []).join(':')}`,
    addresses: address === undefined ? [] : [address, ...instance.secondary.map((offset) => subnet.address(offset))],
    ipv6Address: ipv6Address(instance),
    privateDnsName: privateName(instance, region),
    publicAddress,
    publicDnsName: publicAddress === undefined ? undefined : publicDnsName(publicAddress, region),
  };
}

/** The members of an interface that answers about machines and about interfaces have in common. */
export function interfaceXml(instance: Instance, one: NetworkInterface, account: string, groupsXml: string): string {
  const { subnet } = instance;
  const association = associationXml(one);
  const addresses = one.addresses.map((address, index) =>
    node(
      'item',
      `<privateIpAddress>${address}</privateIpAddress><primary>${index === 0}</primary>` +
        (index === 0 ? leaf('privateDnsName', one.privateDnsName) + association : ''),
    ),
  );
  return (
    `<networkInterfaceId>${one.id}</networkInterfaceId><subnetId>${subnet.id}</subnetId><vpcId>${subnet.vpcId}</vpcId><description/>` +
    `<ownerId>${account}</ownerId><status>in-use</status><macAddress>${one.macAddress}</macAddress><interfaceType>${instance.reservation.spec.network.interfaces[0]?.type ?? 'interface'}</interfaceType>` +
    `${leaf('privateIpAddress', one.addresses[0])}<privateDnsName>${one.privateDnsName}</privateDnsName>` +
    `<sourceDestCheck>${instance.reservation.spec.options.sourceDestCheck}</sourceDestCheck>${groupsXml}${association}` +
    (one.ipv6Address === undefined
      ? `<privateIpAddressesSet>${addresses.join('')}</privateIpAddressesSet>`
      : `<ipv6AddressesSet><item><ipv6Address>${one.ipv6Address}</ipv6Address></item></ipv6AddressesSet>`)
  );
}

/** `<attachment>` of the first interface. `more` are further members. */
export function firstAttachmentXml(instance: Instance, attached: string, more = ''): string {
  return attachmentXml(instance.id.slice(2), { device: 0, card: 0 }, attached, more);
}

function associationXml({ publicAddress, publicDnsName: name }: NetworkInterface): string {
  return publicAddress === undefined
    ? ''
    : node('association', leaf('publicIp', publicAddress) + leaf('publicDnsName', name) + leaf('ipOwnerId', 'amazon'));
}

/** us-east-1 has a domain of its own, as in AWS. */
function publicDnsName(address: string, region: string): string {
  const host = `ec2-${address.replaceAll('.', '-')}`;
  return region === 'us-east-1' ? `${host}.compute-1.amazonaws.com` : `${host}.${region}.compute.amazonaws.com`;
}
