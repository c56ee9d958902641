import type { Subnet } from '../network/subnets.ts';
import { createHash } from 'node:crypto';
import type { Instance } from './instance.ts';

/** The private IPv4 address of a machine; a machine in a subnet without IPv4 has none. */
export function privateAddress({ subnet, address, ipv6Only }: Instance): string | undefined {
  return ipv6Only ? undefined : subnet.address(address);
}

/** The IPv6 address of a machine; only machines in subnets without IPv4 have one. */
export function ipv6Address({ subnet, address, ipv6Only }: Instance): string | undefined {
  return ipv6Only ? ipv6Block(subnet).replace('::/64', `::${(address + firstHost).toString(16)}`) : undefined;
}

/** The IPv6 block of a subnet, in the range for documentation. */
export function ipv6Block({ id }: Pick<Subnet, 'id'>): string {
  const [a, b] = createHash('sha256').update(id).digest('hex').match(/.{4}/g) ?? [];
  return `2001:db8:${a}:${b}::/64`;
}

// So that no host part begins with a zero.
const firstHost = 0x1000;

/** The private name of a machine: made from its IPv4 address, or from its id where it has none. */
export function privateName(instance: Instance, region: string): string {
  const host =
    privateAddress(instance) === undefined ? instance.id : `ip-${privateAddress(instance)?.replaceAll('.', '-')}`;
  // us-east-1 has a domain of its own, as in AWS.
  return region === 'us-east-1' ? `${host}.ec2.internal` : `${host}.${region}.compute.internal`;
}
