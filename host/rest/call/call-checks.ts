import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import type { ServerSettings } from '../../../config/schema.ts';
import { BrokerError } from '../../../core/contract/errors.ts';
import { isLoopback, objectionToHost } from '../../http/caller-check.ts';
import { isLocalCall } from '../../http/local-call.ts';
import { pageCheck } from './page-check.ts';
import { WireRefusal } from '../refusal.ts';

/** More than any caller or gateway sends. Node itself would pass over what is beyond 2000 and say nothing. */
const mostHeaders = 200;

type Check = (call: IncomingMessage) => Error | undefined;

type Settings = Pick<ServerSettings, 'host' | 'trust_proxy' | 'allowed_hosts'>;

/**
 * What is wrong with a call by its head alone: nothing of its body is read then. `bound`: the address that the server listens on, once it does; without one
 * the configuration's counts. On the Unix socket names and pages say nothing: only the owner reaches it.
 */
export function callChecks(settings: Settings, bound: () => string | undefined = () => undefined): Check {
  const named = nameCheck(settings, bound);
  const paged = pageCheck(settings);
  return (call) => {
    if (call.rawHeaders.length > 2 * mostHeaders) return tooManyHeaders();
    const broken = versionCheck(call) ?? hostCheck(call) ?? bodyCheck(call);
    return broken ?? (isLocalCall(call) ? undefined : (named(call) ?? paged(call)));
  };
}

const tooManyHeaders = (): Error => new WireRefusal(431, `There are more than ${mostHeaders} headers.`);

/** Node reads calls of some other versions too, which have rules of their own for where a call ends. */
const versionCheck = ({ httpVersion }: IncomingMessage): Error | undefined =>
  httpVersion === '1.1' || httpVersion === '1.0' ? undefined : new WireRefusal(505, 'Only HTTP/1.1 and HTTP/1.0 are spoken here.');

/** A name or an address, and a port. Two headers come as one, with a comma. */
const hostForm = /^(?:[\w.~%!$&'()*+;=-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

function hostCheck({ headers: { host }, httpVersion }: IncomingMessage): BrokerError | undefined {
  if (host === undefined) return httpVersion === '1.1' ? refused('The call has no Host header, which HTTP/1.1 asks for.') : undefined;
  return hostForm.test(host) ? undefined : refused('The Host header names no host, or several.');
}

/** What a gateway might read otherwise than we do is not read at all, nor what would have to be unpacked. */
function bodyCheck({ headers, httpVersion }: IncomingMessage): BrokerError | undefined {
  const { 'transfer-encoding': coding, 'content-encoding': encoding = 'identity', 'content-length': length = '0' } = headers;
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return refused('Of transfer encodings only chunked is known, and only in HTTP/1.1.');
  if (encoding.toLowerCase() === 'identity' || (coding === undefined && length === '0')) return undefined;
  return new BrokerError('UNSUPPORTED_MEDIA_TYPE', `A body in the encoding ${encoding} is not read; send it as it is.`);
}

/**
 * A server on a loopback address is for programs of this machine. A page in a browser here reaches it too, under a name that its owner points to this address:
 * such a call counts as one of the page's own, so it may read the answer. A name without a dot is no safer: the network's name service answers for it.
 * A server on other addresses has a gateway before it, and so has one that trusts it. Which it is says the address that it has, not what that is called.
 */
function nameCheck({ host, trust_proxy, allowed_hosts }: Settings, bound: () => string | undefined): Check {
  const names = [hostname(), host, ...allowed_hosts].map((name) => name.toLowerCase());
  // Callers use the same few names all the time.
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

/** A target may name its host itself: `GET http://name/path`. */
const targetOf = (url = ''): string | undefined => (url.startsWith('/') ? undefined : /^\w+:\/\/([^/?#]*)/.exec(url)?.[1]);

const refused = (message: string): BrokerError => new BrokerError('INVALID_REQUEST', message);
