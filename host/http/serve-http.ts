import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { watchTemplates } from '../../config/templates/watch-templates.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import { redactQuery } from '../../core/schema/redact.ts';
import type { Broker } from '../compose.ts';
import { boundConnections, connectionBound } from './connection-bound.ts';
import { serveOnSocket } from './listen-socket.ts';
import type { RateLimits } from '../rest/limits/rate-limits.ts';

export interface HttpOptions {
  readonly broker: Broker;
  readonly log: Log;
  /** Logs every answered call. */
  readonly log_calls?: boolean;
  /** The rate limits of the callers. Default: counted in this process. */
  readonly limits?: RateLimits;
  /** The path of the Unix socket, which must be free. Null: no socket. */
  readonly socket_path: string | null;
}

export interface HttpService {
  readonly address: AddressInfo;
  /** Stops accepting calls and resolves when the open calls are answered, at the latest after `drainMs`. */
  close(): Promise<void>;
}

/** Milliseconds that open calls get to end when the server closes. */
export const drainMs = 10_000;
/** Between two tries to reload changed template files. */
const retryMs = 5_000;

/**
 * Serves a broker on the TCP port of its configuration and on a Unix socket, and reloads its template files when they
 * change.
 */
export async function serveHttp({ broker, log, log_calls, limits, socket_path }: HttpOptions): Promise<HttpService> {
  const { createApp } = await import('../rest/app.ts');
  const { server: settings } = broker.configuration;
  const app = createApp({ broker, ...(log_calls ? { answered: callLog(log) } : {}), ...(limits ? { limits } : {}) });
  boundConnections(app.server, connectionBound(settings.max_connections), log);
  const address = await listen(app, settings.host, settings.port);
  const sockets = socket_path === null ? [] : [await socketOf(app, socket_path)];
  const watching = reloadChangedTemplates(broker);
  return {
    address,
    close() {
      watching[Symbol.dispose]();
      return drain(app, [app.server, ...sockets], log);
    },
  };
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<AddressInfo> {
  try {
    await app.listen({ host, port, listenTextResolver: () => '' });
  } catch (cause) {
    await app.close();
    throw cannotListen(host, port, cause);
  }
  return app.server.address() as AddressInfo;
}

/**
 * Returns the error for a port on which the server cannot listen: CONFLICT when another process uses it, else
 * INVALID_CONFIGURATION.
 */
export function cannotListen(host: string, port: number, cause: unknown): BrokerError {
  const { code } = cause as NodeJS.ErrnoException;
  const message =
    code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use. Stop the program that listens there, or choose another port with --port.`
      : `The server cannot listen on ${host} port ${port} (${code}).`;
  return new BrokerError(code === 'EADDRINUSE' ? 'CONFLICT' : 'INVALID_CONFIGURATION', message, {}, { cause });
}

async function socketOf(app: FastifyInstance, path: string): Promise<Server> {
  try {
    return await serveOnSocket(path, app.routing);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Stops listening, waits for the open calls, then closes. */
async function drain(app: FastifyInstance, servers: readonly Server[], log: Log): Promise<void> {
  const closed = servers.slice(1).map((server) => new Promise<void>((resolve) => void server.close(() => resolve())));
  // A keep-alive connection would stay open after its last answer.
  const sweep = setInterval(() => servers.forEach((server) => server.closeIdleConnections()), 20);
  const timeout = setTimeout(() => {
    log.warn({}, `Calls were still open after ${drainMs / 1000} s; the server closes their connections.`);
    for (const server of servers) server.closeAllConnections();
  }, drainMs);
  await Promise.all([app.close(), ...closed]);
  clearInterval(sweep);
  clearTimeout(timeout);
}

/** Reloads the template files when they change, until the result is disposed. */
export function reloadChangedTemplates(
  broker: Broker,
  wait: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
): Disposable {
  const watched = { over: false };
  const again = async () => {
    // The database may be away at this moment.
    for (; !watched.over; await wait(retryMs))
      try {
        return await refresh(broker);
      } catch (err) {
        if (!watched.over) broker.log.warn({ err }, 'The template files could not be reloaded, and are tried again.');
      }
  };
  const watching = watchTemplates(broker.configuration.templates.directory, () => void again());
  return {
    [Symbol.dispose]() {
      watched.over = true;
      watching[Symbol.dispose]();
    },
  };
}

async function refresh({ services, log }: Broker): Promise<void> {
  await services.templateLibrary.refresh();
  const { templates, errors } = services.templateLibrary.cacheStats;
  if (errors.length > 0) log.warn({ errors }, 'The template files were reloaded; some could not be read.');
  else log.info({ templates }, 'The template files were reloaded.');
}

/** Returns a handler that logs every answered call at level debug. */
export function callLog(log: Log) {
  return (request: { id: string; method: string; url: string }, reply: { statusCode: number; elapsedTime: number }) =>
    log.debug(
      {
        x_request_id: request.id,
        method: request.method,
        url: redactQuery(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'A call was answered.',
    );
}
