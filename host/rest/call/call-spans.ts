import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { traceContextOf } from '../../../core/tracing/trace-context.ts';
import type { Span, Tracer } from '../../../core/tracing/tracer.ts';
import { interfaceOf } from './actor.ts';

/** Runs the code of a call in its span. */
export type InSpan = (request: FastifyRequest, run: () => void) => void;

const spans = new WeakMap<FastifyRequest, Span>();

/**
 * Makes a span of every call of an operation, in the trace of its caller (`traceparent`). Of what the caller wrote it
 * has only the X-Request-Id: the route stands for the path, and the query is left out.
 */
export function traceCalls(app: FastifyInstance, tracer: Tracer): InSpan {
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    if (span) endOf(span, reply);
    done();
  });
  return (request, run) => {
    const { operation } = request.routeOptions?.config ?? {};
    if (operation === undefined) return run();
    const { headers, method, routeOptions } = request;
    const route = (routeOptions.url ?? '').replace(/:(\w+)/g, '{$1}');
    const parent =
      headers.traceparent === undefined ? undefined : traceContextOf(headers.traceparent, headers.tracestate);
    const span = tracer.start(`${method} ${route}`, {
      kind: 'server',
      parent,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'muster.operation': operation,
        'muster.interface': interfaceOf(route, headers),
        'muster.x_request_id': request.id,
      },
    });
    spans.set(request, span);
    tracer.within(span, run);
  };
}

/** Notes the code with which a call is refused. */
export function spanRefused(request: FastifyRequest, { code, status, message }: Refused): void {
  const span = spans.get(request);
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

function endOf(span: Span, reply: FastifyReply): void {
  const { statusCode } = reply;
  span.set({ 'http.response.status_code': statusCode, ...(statusCode < 400 ? { 'muster.outcome': 'ok' } : {}) });
  // The span of a stream would last as long as its reader stays.
  if (!isStream(reply)) span.end();
}

const isStream = ({ raw }: FastifyReply): boolean =>
  raw.getHeader('content-type')?.toString().startsWith('text/event-stream') === true;
