import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ServerSettings } from '../../../config/schema.ts';
import { isOwnPage, objectionToOrigin } from '../../http/check-host-and-origin.ts';
import { WireRefusal } from '../refusal.ts';

type Settings = Pick<ServerSettings, 'trust_proxy' | 'allowed_hosts'>;

/**
 * Checks the origin of calls from web pages. A page of another origin can reach this server through a browser that has
 * both open, on any address and behind any gateway, with the credentials that the gateway keeps for that person.
 * Browsers report the origin: in `Sec-Fetch-Site` on secure connections, and in `Origin` with every call that sends
 * data. Top-level navigation (a link in a wiki) is allowed.
 */
export function pageCheck({ trust_proxy, allowed_hosts }: Settings): (call: IncomingMessage) => Error | undefined {
  // An allowed name is allowed on every port.
  const origins = allowed_hosts
    .map((name) => name.toLowerCase())
    .flatMap((name) => [`http://${name}`, `https://${name}`]);
  return ({ headers, method }) => {
    const { origin, host, 'sec-fetch-site': site } = headers;
    if (origin === undefined && site !== 'cross-site') return undefined;
    // The browser compared the two origins as it sees them: a gateway may call this server by another name.
    if (site === 'same-origin') return undefined;
    const page = origin?.toLowerCase();
    if (page !== undefined && origins.includes(page.replace(/:\d+$/, ''))) return undefined;
    if (site === 'cross-site')
      return isNavigation(headers, method) ? undefined : refused(`Pages of ${page ? `'${page}'` : 'other origins'}`);
    const callHosts = trust_proxy ? [host, firstOf(headers['x-forwarded-host'])] : [host];
    if (page === undefined || callHosts.some((each) => isOwnPage(page, each))) return undefined;
    return objectionToOrigin(page, host, []) === undefined ? undefined : refused(`Pages of '${page}'`);
  };
}

const isNavigation = (headers: IncomingHttpHeaders, method: string | undefined): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document';

const refused = (pages: string): Error =>
  new WireRefusal(403, `${pages} may not call this server. server.allowed_hosts allows the name of their host.`);

const firstOf = (header: string | readonly string[] | undefined): string | undefined =>
  String(header ?? '')
    .split(',', 1)[0]
    ?.trim();
