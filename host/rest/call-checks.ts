import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import type { ServerSettings } from '../../config/schema.ts';
import { BrokerError } from '../../core/errors.ts';
import { objectionToHost, objectionToOrigin } from '../caller-check.ts';
import { isLocalCall } from '../local-call.ts';
import { WireRefusal } from './refusal.ts';

/** More than any caller or gateway sends. Node itself would pass over what is beyond 2000 and say nothing. */
const mostHeaders = 200;

type Check = (call: IncomingMessage) => Error | undefined;

/** What is wrong with a call by its head alone: nothing of its body is read then. */
export function callChecks(settings: Pick<ServerSettings, 'host' | 'trust_proxy' | 'allowed_hosts'>): Check {
  const named = nameCheck(settings);
  return (call) =>
    call.rawHeaders.length > 2 * mostHeaders ? tooManyHeaders() : (versionCheck(call) ?? hostCheck(call) ?? bodyCheck(call) ?? named(call));
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

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/**
 * A server on a loopback address is for programs of this machine. A page in a browser here reaches it too, under a name that its owner points to this address:
 * such a call counts as one of the page's own, so it may read the answer. A server on other addresses has a gateway before it, and so has one that trusts it.
 */
function nameCheck({ host, trust_proxy, allowed_hosts }: Pick<ServerSettings, 'host' | 'trust_proxy' | 'allowed_hosts'>): Check {
  const guarded = host === 'localhost' || loopback.check(host, host.includes(':') ? 'ipv6' : 'ipv4');
  if (!guarded || trust_proxy) return () => undefined;
  const names = allowed_hosts.map((name) => name.toLowerCase());
  const origins = names.flatMap((name) => [`http://${name}`, `https://${name}`]);
  // Callers use the same few names all the time.
  const known = new Set<string>();
  return (call) => {
    if (isLocalCall(call)) return undefined;
    const { host: called, origin } = call.headers;
    // What a page of elsewhere only reads it is not shown by its browser; what it sends would be done.
    if (origin !== undefined && !reading.has(call.method ?? '')) {
      // A name is allowed on every port.
      const objection = objectionToOrigin(origin.toLowerCase().replace(/:\d+$/, ''), origins);
      if (objection !== undefined) return new WireRefusal(403, `${objection} server.allowed_hosts adds the name of its host.`);
    }
    const name = targetOf(call.url) ?? called;
    if (name === undefined || ofThisPlace.test(name) || known.has(name)) return undefined;
    const objection = objectionToHost(name, names, 'server.allowed_hosts adds one');
    if (objection !== undefined) return new WireRefusal(403, objection);
    if (known.size < 100) known.add(name);
    return undefined;
  };
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Names that nobody elsewhere can own: without a dot, or below `localhost`. */
const ofThisPlace = /^(?:[\w-]+|[\w.-]+\.localhost)(?::\d*)?$/i;

/** A target may name its host itself: `GET http://name/path`. */
const targetOf = (url = ''): string | undefined => (url.startsWith('/') ? undefined : /^\w+:\/\/([^/?#]*)/.exec(url)?.[1]);

const refused = (message: string): BrokerError => new BrokerError('INVALID_REQUEST', message);
