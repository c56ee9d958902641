import { isIP } from 'node:net';

/**
 * Why a call is refused by the name under which it came; undefined: it may come in. A page in somebody's browser can give a name of its own to this
 * machine, and then counts as one of ours; an address cannot be such a name, nor one below `localhost`. `remedy` says how a name is added.
 */
export function objectionToHost(host: string | undefined, names: readonly string[], remedy = '--allow-host adds one'): string | undefined {
  const name = urlIn(`http://${host ?? ''}`)?.hostname;
  if (name !== undefined && (isAddress(name) || name === 'localhost' || name.endsWith('.localhost') || names.includes(name)))
    return undefined;
  return `Host '${host ?? ''}' is none of this server's names; ${remedy}.`;
}

/**
 * Why a call from a page is refused: only those of `origins` may call, and those of this machine at the very port that is called. What another program
 * of this machine serves is somebody else's. Programs send no Origin.
 */
export function objectionToOrigin(origin: string | undefined, host: string | undefined, origins: readonly string[]): string | undefined {
  if (origin === undefined || origins.includes(origin)) return undefined;
  const page = urlIn(origin);
  const called = page && urlIn(`${page.protocol}//${host ?? ''}`);
  if (called && isLoopbackName(page.hostname) && isLoopbackName(called.hostname) && page.port === called.port) return undefined;
  return `Pages of '${origin}' may not call this server.`;
}

/** Whether a page came from under this very name and port, whichever way the call took from there. */
export function isOwnPage(origin: string, host: string | undefined): boolean {
  const page = urlIn(origin);
  return page !== undefined && page.host !== '' && page.host === urlIn(`${page.protocol}//${host ?? ''}`)?.host;
}

/** Whether an address is one of this machine alone. */
export const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) || address === '::1';

const isLoopbackName = (name: string): boolean => name === 'localhost' || isLoopback(name.replace(/^\[|\]$/g, ''));
const urlIn = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined);
const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;
