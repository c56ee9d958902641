import { isIPv4 } from 'node:net';

const authority = /^(?:(?:[a-z0-9-]+\.)*localhost\.?|(127(?:\.\d{1,3}){3})|\[::1\])(?::\d+)?$/i;

/** Throws if other computers could reach the address. */
export function checkListenHost(host: string): void {
  if (host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))) return;
  throw new Error(
    `The simulated cloud listens on loopback only (127.0.0.1, ::1, localhost), not on '${host}': it checks no signature, and its control routes obey every caller.`,
  );
}

/** Whether a `Host` header is a loopback name. Another name indicates DNS rebinding by a web page. */
export function isLoopbackHost(host: string | undefined): boolean {
  const found = host === undefined ? null : authority.exec(host);
  return found !== null && (found[1] === undefined || isIPv4(found[1]));
}

/** Whether an `Origin` header is on loopback, or absent because the caller is no web page. */
export function isLoopbackOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  const found = /^https?:\/\/(.+)$/i.exec(origin);
  return found !== null && isLoopbackHost(found[1]);
}

/** The refusal of a call under another host name. */
export function refusedHost(host: string | undefined): string {
  return `The simulated cloud answers on loopback only: call it as 127.0.0.1, [::1] or localhost, not as '${host ?? ''}'.`;
}

/** The refusal of a control call from a web page of another origin. */
export function refusedOrigin(origin: string | undefined): string {
  return `Control routes refuse web pages of other origins: the origin '${origin ?? ''}' is not on loopback.`;
}
