import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import type { ServerSettings } from '../../../config/schema.ts';
import { BrokerError } from '../../../core/contract/errors.ts';
import { isLoopback, objectionToHost } from '../../http/check-host-and-origin.ts';
import { isLocalCall } from '../../http/local-call.ts';
import { actorCheck } from './actor.ts';
import { pageCheck } from './page-check.ts';
import { WireRefusal } from '../refusal.ts';

/**
 * Maximum number of headers: more than any client or gateway sends. Node itself silently drops headers beyond 2000.
 */
const maxHeaders = 200;

type Check = (call: IncomingMessage) => Error | undefined;

type Settings = Pick<ServerSettings, 'host' | 'trust_proxy' | 'allowed_hosts'> &
  Partial<Pick<ServerSettings, 'actor_header'>>;

/**
 * Returns the checks of the head of a call; a refused call's body is not read. `bound`: the address on which the
 * server listens, once it listens; before that, the configured host counts. Calls over the Unix socket are not checked
 * for host names and pages: only the owner can connect.
 */
export function callChecks(settings: Settings, bound: () => string | undefined = () => undefined): Check {
  const named = nameCheck(settings, bound);
  const paged = pageCheck(settings);
  const ofActor = actorCheck(settings.actor_header ?? null);
  return (call) => {
    if (call.rawHeaders.length > 2 * maxHeaders) return tooManyHeaders();
    const broken = versionCheck(call) ?? hostCheck(call) ?? bodyCheck(call) ?? ofActor(call);
    return broken ?? (isLocalCall(call) ? undefined : (named(call) ?? paged(call)));
  };
}

const tooManyHeaders = (): Error => new WireRefusal(431, `There are more than ${maxHeaders} headers.`);

/** Node accepts calls of other HTTP versions, which define the end of a call differently. */
const versionCheck = ({ httpVersion }: IncomingMessage): Error | undefined =>
  httpVersion === '1.1' || httpVersion === '1.0'
    ? undefined
    : new WireRefusal(505, 'The server supports only HTTP/1.1 and HTTP/1.0.');

/** A name or an address, with an optional port. Two Host headers are joined with a comma and do not match. */
const hostForm = /^(?:[\w.~%!$&'()*+;=-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

function hostCheck({ headers: { host }, httpVersion }: IncomingMessage): BrokerError | undefined {
  if (host === undefined)
    return httpVersion === '1.1' ? refused('The call has no Host header, which HTTP/1.1 requires.') : undefined;
  return hostForm.test(host) ? undefined : refused('The Host header must name exactly one host.');
}

/** Refuses bodies whose end a gateway may find at another place (request smuggling), and compressed bodies. */
function bodyCheck({ headers, httpVersion }: IncomingMessage): BrokerError | undefined {
  const {
    'transfer-encoding': coding,
    'content-encoding': encoding = 'identity',
    'content-length': length = '0',
  } = headers;
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return refused('The only supported transfer encoding is chunked, and only in HTTP/1.1.');
  if (encoding.toLowerCase() === 'identity' || (coding === undefined && length === '0')) return undefined;
  return new BrokerError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The content encoding ${encoding} is not supported; send the body without encoding.`,
  );
}

/**
 * Checks the Host header of a server on a loopback address, which is for programs of this machine. A web page in a
 * browser on this machine can reach it under a name that the page's owner points to this address (DNS rebinding): the
 * call would then count as same origin, and the page could read the answer. A name without a dot is no safer, since
 * the name service of the network resolves it. A server on any other address, or one that trusts a proxy, has a
 * gateway in front of it and is not checked. The address decides, not the configured name.
 */
function nameCheck({ host, trust_proxy, allowed_hosts }: Settings, bound: () => string | undefined): Check {
  const names = [hostname(), host, ...allowed_hosts].map((name) => name.toLowerCase());
  // A cache: callers use the same few names.
  const known = new Set<string>();
  let guarded: boolean | undefined;
  return (call) => {
    guarded ??= !trust_proxy && (host === 'localhost' || isLoopback(bound() ?? host));
    if (!guarded) return undefined;
    const name = targetOf(call.url) ?? call.headers.host;
    if (name === undefined || known.has(name)) return undefined;
    const objection = objectionToHost(name, names, 'server.allowed_hosts adds a name');
    if (objection !== undefined) return new WireRefusal(403, objection);
    if (known.size < 100) known.add(name);
    return undefined;
  };
}

/** The host of an absolute target: `GET http://name/path`. */
const targetOf = (url = ''): string | undefined =>
  url.startsWith('/') ? undefined : /^\w+:\/\/([^/?#]*)/.exec(url)?.[1];

const refused = (message: string): BrokerError => new BrokerError('INVALID_REQUEST', message);
