import { isIP } from 'node:net';

/**
 * Why a call is refused by the name under which it came; undefined: it may come in. A page in somebody's browser can give a name of its own to this
 * machine, and then counts as one of ours; an address cannot be such a name. `remedy` says how a name is added.
 */
export function objectionToHost(host: string | undefined, names: readonly string[], remedy = '--allow-host adds one'): string | undefined {
  const name = nameIn(`http://${host ?? ''}`);
  if (name !== undefined && (isAddress(name) || name === 'localhost' || names.includes(name))) return undefined;
  return `Host '${host ?? ''}' is none of this server's names; ${remedy}.`;
}

/** Why a call from a page is refused: only those of this machine and of `origins` may call. Programs send no Origin. */
export function objectionToOrigin(origin: string | undefined, origins: readonly string[]): string | undefined {
  if (origin === undefined || origins.includes(origin)) return undefined;
  const name = nameIn(origin);
  if (name === 'localhost' || name === '[::1]' || (name?.startsWith('127.') && isAddress(name))) return undefined;
  return `Pages of '${origin}' may not call this server.`;
}

const nameIn = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);
const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;
