import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  /** Log every call that was answered. */
  readonly log_calls?: boolean;
  /** Where callers are counted. Default: in this process. */
  readonly limits?: RateLimits;
  /** The Unix socket beside the port, at a path that is free. Null: none. */
  readonly socket_path: string | null;
}

export interface HttpService {
  readonly address: AddressInfo;
  /** Answers calls that are under way and takes no new ones. */
  close(): Promise<void>;
}

/** Calls that are under way at the end get this long. */
export const drainMs = 10_000;

/** Serves a broker on the TCP port of its configuration and on a Unix socket, and follows its template files. */
export async function serveHttp({ broker, log, log_calls, limits, socket_path }: HttpOptions): Promise<HttpService> {
  const { createApp } = await import('../rest/app.ts');
  const { server: settings } = broker.configuration;
  const app = createApp({ broker, ...(log_calls ? { answered: callLog(log) } : {}), ...(limits ? { limits } : {}) });
  boundConnections(app.server, connectionBound(settings.max_connections), log);
  const address = await listen(app, settings.host, settings.port);
  const sockets = socket_path === null ? [] : [await socketOf(app, socket_path)];
  const watching = followTemplates(broker);
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

/** Why a server cannot have its port. */
export function cannotListen(host: string, port: number, cause: unknown): BrokerError {
  const { code } = cause as NodeJS.ErrnoException;
  const message =
    code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is taken. Stop what listens there, or choose another with --port.`
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

/** Stops listening, lets calls under way end, then closes. */
async function drain(app: FastifyInstance, servers: readonly Server[], log: Log): Promise<void> {
  const closed = servers.slice(1).map((server) => new Promise<void>((resolve) => void server.close(() => resolve())));
  // A connection whose last call was answered would stay open for the next one.
  const sweep = setInterval(() => servers.forEach((server) => server.closeIdleConnections()), 20);
  const late = setTimeout(() => {
    log.warn({}, `Calls were still under way after ${drainMs / 1000} s; their connections are closed.`);
    for (const server of servers) server.closeAllConnections();
  }, drainMs);
  await Promise.all([app.close(), ...closed]);
  clearInterval(sweep);
  clearTimeout(late);
}

/** Reads the template files anew when they change. */
export function followTemplates(broker: Broker): Disposable {
  return watchTemplates(broker.configuration.templates.directory, () => void refresh(broker));
}

async function refresh({ services, log }: Broker): Promise<void> {
  await services.templates.refresh();
  const { templates, errors } = services.templates.cacheStats;
  if (errors.length > 0) log.warn({ errors }, 'Template files were read anew; some could not be read.');
  else log.info({ templates }, 'Template files were read anew.');
}

/** Tells every call that was answered. */
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
