import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { traceContextOf } from '../../../core/tracing/trace-context.ts';
import type { Span, Tracer } from '../../../core/tracing/tracer.ts';
import { currentCall } from '../../http/call-context.ts';
import { interfaceOf } from './actor.ts';

/** The span of a request. A property costs less than an entry of a WeakMap, which each collection looks at. */
const spanKey = Symbol('span');

interface Traced extends FastifyRequest {
  [spanKey]?: Span | null;
}

const spanOf = (request: Traced): Span | undefined => request[spanKey] ?? undefined;

/**
 * Makes a span of every call of an operation, in the trace of its caller (`traceparent`). Of what the caller wrote it
 * has only the X-Request-Id: the route stands for the path, and the query is left out. Must be called before the
 * routes are bound. `names`: of all operations; a call by a name has that operation, unless there is none.
 */
export function traceCalls(app: FastifyInstance, tracer: Tracer, names: ReadonlySet<string>): void {
  app.decorateRequest(spanKey, null);
  app.addHook('onRoute', (bound) => {
    const { operation } = bound.config ?? {};
    if (operation === undefined) return;
    const route = bound.url.replace(/:(\w+)/g, '{$1}');
    // A route of two methods gets the method from its call. A text that is joined for each call is hashed for each.
    const spanNames = new Map([bound.method].flat().map((method) => [method, `${method} ${route}`]));
    const byName = bound.url.includes(':operation');
    const begin = (request: Traced, _reply: FastifyReply, done: () => void): void => {
      const { headers, method } = request;
      const { traceparent, tracestate } = headers;
      const span = tracer.start(spanNames.get(method) ?? route, {
        kind: 'server',
        parent: traceparent === undefined ? undefined : traceContextOf(traceparent, tracestate),
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'muster.operation': byName ? namedIn(request, names, operation) : operation,
          'muster.interface': interfaceOf(route, headers),
          'muster.x_request_id': request.id,
        },
      });
      const call = currentCall();
      if (call) call.span = span;
      request[spanKey] = span;
      done();
    };
    bound.onRequest = [begin, ...[bound.onRequest ?? []].flat()];
    bound.onSend = [...[bound.onSend ?? []].flat(), endOfCall];
  });
}

function namedIn({ params }: FastifyRequest, names: ReadonlySet<string>, otherwise: string): string {
  const { operation = '' } = params as { readonly operation?: string };
  return names.has(operation) ? operation : otherwise;
}

/** Notes the code with which a call is refused. */
export function spanRefused(request: FastifyRequest, { code, status, message }: Refused): void {
  const span = spanOf(request);
  if (!span) return;
  // A mistake of the caller is no failure of the server.
  if (status >= 500) span.fail({ code, message });
  else span.set({ 'muster.outcome': code, 'error.type': code });
}

interface Refused {
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

/** Ends the span of a call whose handler writes the answer itself, past the hooks. */
export function endSpanWithAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const span = spanOf(request);
  if (span) reply.raw.once('close', () => endWith(span, reply.raw.statusCode));
}

function endWith(span: Span, status: number): void {
  const code = { 'http.response.status_code': status };
  span.set(status < 400 ? { ...code, 'muster.outcome': 'ok' } : code);
  span.end();
}

/**
 * The answer is ready. That it leaves is not waited for: a caller may have left before, and a listener for each call
 * costs as much as its span.
 */
function endOfCall<T>(request: FastifyRequest, reply: FastifyReply, payload: T, done: Sent<T>): void {
  const span = spanOf(request);
  // The span of a stream would last as long as its reader stays.
  if (span && !isStream(reply)) endWith(span, reply.statusCode);
  done(null, payload);
}

type Sent<T> = (error: null, payload: T) => void;

const isStream = ({ raw }: FastifyReply): boolean =>
  raw.getHeader('content-type')?.toString().startsWith('text/event-stream') === true;
