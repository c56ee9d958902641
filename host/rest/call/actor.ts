import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { BrokerError } from '../../../core/contract/errors.ts';
import type { Span } from '../../../core/tracing/tracer.ts';
import type { Actor, Interface } from '../../../core/journal/actor.ts';
import type { CallContext } from '../../http/call-context.ts';
import { interfaceHeader, userHeader } from '../../http/calling-program.ts';
import { isLocalCall } from '../../http/local-call.ts';
import { apiPrefix } from '../bind-operation.ts';

/** The most characters of a name that a gateway or a client gives. */
const maxName = 200;

/** The interfaces that a client may name. The paths of the others say what they are. */
const programs: readonly Interface[] = ['cli', 'sdk', 'mcp'];

/** Creates the context of the calls of a server; see `server.actor_header`. */
export function callContexts(actor_header: string | null): (request: FastifyRequest) => CallContext {
  const header = actor_header?.toLowerCase();
  return (request) => new RequestContext(request, header);
}

/** Few calls write an event, so the actor is read when it is needed. */
class RequestContext implements CallContext {
  readonly #request: FastifyRequest;
  span?: Span;
  readonly #header: string | undefined;
  #actor: Actor | undefined;

  constructor(request: FastifyRequest, header: string | undefined) {
    this.#request = request;
    this.#header = header;
  }

  get x_request_id(): string {
    return this.#request.id;
  }

  get actor(): Actor {
    return (this.#actor ??= actorOf(this.#request, this.#header));
  }
}

/**
 * Checks the header in which a gateway names the caller. Several of them are refused: the gateway added its own and
 * did not remove that of the caller.
 */
export function actorCheck(actor_header: string | null): (call: IncomingMessage) => BrokerError | undefined {
  const header = actor_header?.toLowerCase();
  if (header === undefined) return () => undefined;
  const isIt = (text: string, index: number): boolean => index % 2 === 0 && text.toLowerCase() === header;
  return ({ headers, rawHeaders }) =>
    headers[header] !== undefined && rawHeaders.filter(isIt).length > 1
      ? new BrokerError(
          'INVALID_REQUEST',
          `The call has several ${actor_header} headers; the gateway must remove those of its callers.`,
        )
      : undefined;
}

function actorOf(request: FastifyRequest, header: string | undefined): Actor {
  const { headers, raw, routeOptions, url } = request;
  const route = routeOptions?.url ?? url;
  const by = interfaceOf(route, headers);
  const user = by === 'rest' ? undefined : textIn(userIn(headers));
  const name = header === undefined ? undefined : textIn(utf8(headers[header]));
  const address = isLocalCall(raw) ? undefined : addressOf(request);
  return {
    interface: by,
    ...(address === undefined ? {} : { address }),
    ...(user === undefined ? {} : { user }),
    ...(name === undefined ? {} : { name }),
  };
}

/** The interface of a call: what its path says, else what the client says about itself. */
export function interfaceOf(route: string, headers: FastifyRequest['headers']): Interface {
  const said = headers[interfaceHeader];
  if (route.startsWith(`${apiPrefix}/hostfactory/`)) return 'hostfactory';
  if (route === '/mcp') return 'mcp';
  return programs.find((each) => each === said) ?? 'rest';
}

function userIn(headers: FastifyRequest['headers']): string | undefined {
  const user = headers[userHeader];
  return typeof user === 'string' ? decoded(user) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Node reads headers as Latin-1; gateways send UTF-8. */
function utf8(value: string | readonly string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? value : text;
}

/** The text without control and format characters, of at most `maxName` characters. Undefined for an empty one. */
function textIn(value: string | undefined): string | undefined {
  const text = value?.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim() ?? '';
  if (text === '') return undefined;
  const characters = [...text];
  return characters.length > maxName ? `${characters.slice(0, maxName - 1).join('')}…` : text;
}

/** The address of the client. One that is forwarded and no address is ignored. */
function addressOf({ ip, socket }: FastifyRequest): string | undefined {
  const { isIP } = process.getBuiltinModule('node:net');
  const plain = (text: string | undefined) => text?.replace(/^::ffff:(?=\d+\.)/i, '');
  const given = plain(ip) ?? '';
  return isIP(given) === 0 ? plain(socket.remoteAddress) : given;
}
