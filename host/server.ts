import type { Server } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { LoadedConfiguration } from '../config/load.ts';
import { watchTemplates } from '../config/watch-templates.ts';
import { BrokerError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { compose, type Broker } from './compose.ts';
import { lockDataDirectory, makeDataDirectory } from './data-directory.ts';
import { listenOnSocket } from './listen-socket.ts';
import { thisPackage } from './package.ts';
import { removeServerPlace, writeServerPlace } from './server-place.ts';

export interface RunningServer {
  readonly broker: Broker;
  /** `http://127.0.0.1:8000` */
  readonly url: string;
  /** Answers calls that are under way, takes no new ones, gives claims back, closes the store. Idempotent. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly loaded: LoadedConfiguration;
  readonly log: Log;
  /** Log every call that was answered. */
  readonly log_calls?: boolean;
}

/** Calls that are under way at the end get this long. */
const drainMs = 10_000;

/** Starts the server of a data directory: TCP, the Unix socket, and `server.json` that says where they are. One runs for a directory. */
export async function serve({ loaded, log, log_calls }: ServeOptions): Promise<RunningServer> {
  const { configuration } = loaded;
  const { server: settings, data_directory } = configuration;
  makeDataDirectory(data_directory);
  const undo = new AsyncDisposableStack();
  try {
    undo.use(lockDataDirectory(data_directory));
    // Loading the web framework and opening the store take about as long as each other.
    const [broker, { createApp }] = await Promise.all([compose({ loaded, log }), import('./rest/app.ts')]);
    undo.defer(() => broker.close());
    undo.use(watchTemplates(configuration.templates.directory, () => void refresh(broker)));
    const app = createApp({ broker, ...(log_calls ? { answered: callLog(log) } : {}) });
    const address = await listen(app, settings.host, settings.port);
    const socket_path = settings.socket_path ?? join(data_directory, 'muster.sock');
    const socket = await listenOnSocket(socket_path, app.routing, log);
    undo.defer(() => drain(app, [app.server, ...(socket ? [socket] : [])], log));
    const url = `http://${isIP(settings.host) === 6 ? `[${settings.host}]` : settings.host}:${address.port}`;
    const started_at = new Date().toISOString();
    const { version } = thisPackage;
    writeServerPlace(data_directory, {
      pid: process.pid,
      host: settings.host,
      port: address.port,
      socket_path: socket ? socket_path : null,
      started_at,
      version,
    });
    undo.defer(() => removeServerPlace(data_directory));
    if (!isLoopback(address.address)) {
      log.warn(
        { host: settings.host },
        'Everyone who reaches this address can request and return machines: put a gateway in front that authenticates.',
      );
    }
    let closing: Promise<void> | undefined;
    return { broker, url, close: () => (closing ??= undo.disposeAsync()) };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<AddressInfo> {
  try {
    await app.listen({ host, port, listenTextResolver: () => '' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    await app.close();
    if (code === 'EADDRINUSE')
      throw new BrokerError(
        'CONFLICT',
        `Port ${port} on ${host} is taken. Stop what listens there, or choose another with --port.`,
        {},
        { cause },
      );
    throw new BrokerError('INVALID_CONFIGURATION', `The server cannot listen on ${host} port ${port} (${code}).`, {}, { cause });
  }
  return app.server.address() as AddressInfo;
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

async function refresh({ services, log }: Broker): Promise<void> {
  await services.templates.refresh();
  const { templates, errors } = services.templates.cacheStats;
  if (errors.length > 0) log.warn({ errors }, 'Template files were read anew; some could not be read.');
  else log.info({ templates }, 'Template files were read anew.');
}

function callLog(log: Log) {
  return (request: { id: string; method: string; url: string }, reply: { statusCode: number; elapsedTime: number }) =>
    log.debug(
      {
        x_request_id: request.id,
        method: request.method,
        url: request.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'A call was answered.',
    );
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');
