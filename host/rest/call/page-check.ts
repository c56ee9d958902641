import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ServerSettings } from '../../../config/schema.ts';
import { isOwnPage, objectionToOrigin } from '../../http/caller-check.ts';
import { WireRefusal } from '../refusal.ts';

type Settings = Pick<ServerSettings, 'trust_proxy' | 'allowed_hosts'>;

/**
 * A page of another place reaches this server through the browser of anybody who has both open, on whatever address and behind whatever gateway, and with what
 * the gateway knows of that person. Browsers say so: by `Sec-Fetch-Site` where the connection is safe, and by `Origin` with everything that is sent. A page
 * that is only followed to (a link in a wiki) may be opened.
 */
export function pageCheck({ trust_proxy, allowed_hosts }: Settings): (call: IncomingMessage) => Error | undefined {
  // A name is allowed on every port.
  const origins = allowed_hosts.map((name) => name.toLowerCase()).flatMap((name) => [`http://${name}`, `https://${name}`]);
  return ({ headers, method }) => {
    const { origin, host, 'sec-fetch-site': site } = headers;
    if (origin === undefined && site !== 'cross-site') return undefined;
    // The browser itself compared the two, as it sees them: a gateway may call us by another name.
    if (site === 'same-origin') return undefined;
    const page = origin?.toLowerCase();
    if (page !== undefined && origins.includes(page.replace(/:\d+$/, ''))) return undefined;
    if (site === 'cross-site') return isFollowed(headers, method) ? undefined : refused(`Pages of ${page ? `'${page}'` : 'other places'}`);
    const called = trust_proxy ? [host, firstOf(headers['x-forwarded-host'])] : [host];
    if (page === undefined || called.some((each) => isOwnPage(page, each))) return undefined;
    return objectionToOrigin(page, host, []) === undefined ? undefined : refused(`Pages of '${page}'`);
  };
}

const isFollowed = (headers: IncomingHttpHeaders, method: string | undefined): boolean =>
  (method === 'GET' || method === 'HEAD') && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

const refused = (who: string): Error =>
  new WireRefusal(403, `${who} may not call this server. server.allowed_hosts adds the name of its host.`);

const firstOf = (header: string | readonly string[] | undefined): string | undefined =>
  String(header ?? '')
    .split(',', 1)[0]
    ?.trim();
