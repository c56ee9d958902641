import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { isLoopback } from './caller-check.ts';

/**
 * Whom a call counts for: the address of its connection, or the forwarded one where the configuration trusts a proxy. A forwarded text that is
 * no address is not believed. An IPv6 network of one customer (/64) is one client, and so is this machine: a program has all of its addresses.
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

/** The first four groups of eight, each without leading zeros. */
function upper64(address: string): string {
  const [left = '', right] = address.split('%', 1)[0]!.toLowerCase().split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  // A tail in the form of IPv4 stands for two groups; the head never has one unless the address is complete.
  const length = head.length + tail.length + (tail.at(-1)?.includes('.') ? 1 : 0);
  const zeros = right === undefined ? [] : Array.from({ length: 8 - length }, () => '0');
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
