import { isIP } from 'node:net';

/**
 * Returns why a call with this Host header is refused; undefined when it is accepted. Protects against DNS rebinding:
 * a web page can point a name of its own at this machine and would then count as same origin. IP addresses and names
 * below `localhost` cannot be such names. `remedy` says how to allow a name.
 */
export function objectionToHost(
  host: string | undefined,
  names: readonly string[],
  remedy = '--allow-host adds a name',
): string | undefined {
  const name = urlIn(`http://${host ?? ''}`)?.hostname;
  if (
    name !== undefined &&
    (isAddress(name) || name === 'localhost' || name.endsWith('.localhost') || names.includes(name))
  )
    return undefined;
  return `Host '${host ?? ''}' is not a name of this server; ${remedy}.`;
}

/**
 * Returns why a call of a web page is refused; undefined when it is accepted. Accepted are pages of `origins`, and
 * pages of this machine with the port of the server: another port belongs to another program. Programs that are not
 * browsers send no Origin.
 */
export function objectionToOrigin(
  origin: string | undefined,
  host: string | undefined,
  origins: readonly string[],
): string | undefined {
  if (origin === undefined || origins.includes(origin)) return undefined;
  const page = urlIn(origin);
  const target = page && urlIn(`${page.protocol}//${host ?? ''}`);
  if (target && isLoopbackName(page.hostname) && isLoopbackName(target.hostname) && page.port === target.port)
    return undefined;
  return `Pages of '${origin}' may not call this server.`;
}

/** Whether the page was loaded from the name and port of this call. */
export function isOwnPage(origin: string, host: string | undefined): boolean {
  const page = urlIn(origin);
  return page !== undefined && page.host !== '' && page.host === urlIn(`${page.protocol}//${host ?? ''}`)?.host;
}

/** Whether an address is a loopback address. */
export const isLoopback = (address: string): boolean =>
  /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) || address === '::1';

const isLoopbackName = (name: string): boolean => name === 'localhost' || isLoopback(name.replace(/^\[|\]$/g, ''));
const urlIn = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined);
const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;
