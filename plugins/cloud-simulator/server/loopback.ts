import { isIPv4 } from 'node:net';

const authority = /^(?:(?:[a-z0-9-]+\.)*localhost\.?|(127(?:\.\d{1,3}){3})|\[::1\])(?::\d+)?$/i;

/** Refuses an address that somebody else than this computer could reach. */
export function checkListenHost(host: string): void {
  if (host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))) return;
  throw new Error(
    `The simulated cloud listens on loopback only (127.0.0.1, ::1, localhost), not on '${host}': it checks no signature, and whoever reaches its control routes owns it.`,
  );
}

/**
 * Whether a `Host` header names this computer by loopback. Another name there means that a web page was made to
 * resolve to us.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  const found = host === undefined ? null : authority.exec(host);
  return found !== null && (found[1] === undefined || isIPv4(found[1]));
}

/** Whether an `Origin` header is that of a page which this computer served itself, or absent because no page asks. */
export function isLoopbackOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  const found = /^https?:\/\/(.+)$/i.exec(origin);
  return found !== null && isLoopbackHost(found[1]);
}

/** What a caller is told that reached us under another name. */
export function strangeHost(host: string | undefined): string {
  return `The simulated cloud answers on loopback only: call it as 127.0.0.1, [::1] or localhost, not as '${host ?? ''}'.`;
}

/** What a web page from elsewhere is told that reaches for a control route. */
export function strangeOrigin(origin: string | undefined): string {
  return `Control routes are not for web pages from elsewhere: the origin '${origin ?? ''}' is not on loopback.`;
}
