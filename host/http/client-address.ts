import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { isLoopback } from './check-host-and-origin.ts';

/**
 * Returns the client to which a call counts: the address of its connection, or the forwarded address when the
 * configuration trusts a proxy. A forwarded text that is not an address is ignored. An IPv6 /64 network counts as one
 * client, and all loopback addresses count as one client, because one program can use all of their addresses.
 */
export function clientOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return network(ip) ?? network(socket.remoteAddress) ?? 'unknown';
}

function network(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (isLoopback(text)) return '127.0.0.1';
  const address = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1] ?? text;
  const kind = isIP(address);
  return kind === 0 ? undefined : kind === 4 ? address : upper64(address);
}

/** The first four of the eight groups of an IPv6 address, without leading zeros. */
function upper64(address: string): string {
  const [left = '', right] = address.split('%', 1)[0]!.toLowerCase().split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  // An IPv4 suffix stands for two groups. The head has one only when the address is complete, without `::`.
  const length = head.length + tail.length + (tail.at(-1)?.includes('.') ? 1 : 0);
  const zeros = right === undefined ? [] : Array.from({ length: 8 - length }, () => '0');
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
