import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import { redactQuery } from '../../core/schema/redact.ts';
import type { Broker } from '../compose.ts';
import { apiPrefix, jsonType } from './bind-operation.ts';
import type { ErrorForm, PathTable } from './routes/path-table.ts';
import { spanRefused } from './call/call-spans.ts';
import { refusalBody, refusalOf } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The error format of this route. Default `detail`. */
    errors?: ErrorForm;
    /** The operation that the route serves. */
    operation?: string;
  }
}

type RefuseUnserved = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Installs the handlers of errors and of unknown routes. Returns the function that answers a call which no route
 * serves.
 */
export function answerFailures(
  app: FastifyInstance,
  paths: PathTable,
  { log, meter }: Pick<Broker, 'log' | 'meter'>,
): RefuseUnserved {
  app.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, log));
  function refuseUnserved(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = request.url.split('?', 1)[0] ?? '';
    const served = paths.match(path);
    const refusal = served ? methodNotAllowed(request.method, path, served.methods) : nothingAt(request.method, path);
    answerFailure(refusal, request, reply, log, served?.form);
    meter.http.unmatched(request.method, reply.statusCode, reply.elapsedTime);
    return reply;
  }
  app.setNotFoundHandler(refuseUnserved);
  return refuseUnserved;
}

/** Answers an error in the form of its route. */
export function answerFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
  form = request.routeOptions?.config?.errors ?? 'detail',
): FastifyReply {
  const refusal = refusalOf(error);
  spanRefused(request, refusal);
  if (refusal.code === 'INTERNAL')
    log.error(
      { err: error, x_request_id: request.id, method: request.method, url: redactQuery(request.url) },
      'A call failed.',
    );
  if (refusal.code === 'METHOD_NOT_ALLOWED')
    reply.header('allow', (refusal.details['allowed'] as readonly string[]).join(', '));
  if (refusal.retry_after !== undefined) reply.header('retry-after', refusal.retry_after);
  return reply
    .code(refusal.status)
    .header('content-type', jsonType)
    .send(refusalBody(refusal, form, request.id));
}

/** The error for a path that exists and does not serve the method. */
export function methodNotAllowed(method: string, path: string, served: readonly string[]): BrokerError {
  const allowed = served.toSorted();
  return new BrokerError('METHOD_NOT_ALLOWED', `${path} does not serve ${method}; it serves ${allowed.join(', ')}.`, {
    allowed,
  });
}

/** The error for a path that does not exist. */
export function nothingAt(method: string, path: string): BrokerError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  const hint = path.startsWith(`${apiPrefix}/`) ? '' : ` The API is below ${apiPrefix}.`;
  return new BrokerError('NOT_FOUND', `No route serves ${method} ${shown}.${hint}`);
}
