import { isIP } from 'node:net';
import { join } from 'node:path';
import type { LoadedConfiguration } from '../config/load.ts';
import type { Log } from '../core/contract/log.ts';
import { isLoopback } from './http/caller-check.ts';
import { compose } from './compose.ts';
import { lockDataDirectory, makeDataDirectory, warnOfOtherWriters } from './data-directory/data-directory.ts';
import { firstSteps } from './process/first-steps.ts';
import { freeSocketPath } from './http/listen-socket.ts';
import { thisPackage } from './process/this-package.ts';
import { serveHttp } from './http/serve-http.ts';
import { refuseSamples } from './data-directory/refuse-samples.ts';
import { removeServerPlace, writeServerPlace } from './data-directory/server-place.ts';
import { writeLastStart, type StartRecord } from './data-directory/start-record.ts';

export interface RunningServer {
  /** `http://127.0.0.1:8000` */
  readonly url: string;
  /** For the person who started it: where it is, and what to try. */
  readonly greeting: string;
  /** Answers calls that are under way, takes no new ones, gives claims back, closes the store. Idempotent. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly loaded: LoadedConfiguration;
  readonly log: Log;
  /** Log every call that was answered. */
  readonly log_calls?: boolean;
  /** Serves HTTP on the storage of another server, and carries nothing out: no loop, no lock, no `server.json`, no socket unless one is named. */
  readonly api_only?: boolean;
  /** How it was started, to be remembered. */
  readonly start?: StartRecord;
}

/**
 * Starts the server of a data directory: TCP, the Unix socket, and `server.json` that says where they are. One runs for a directory, and beside it
 * any number that serve the API only. With `server.workers` above 1, HTTP is served by processes of their own.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { loaded, log, log_calls, api_only } = options;
  const { configuration } = loaded;
  const { data_directory, server: settings } = configuration;
  refuseSamples(loaded, process.cwd());
  if (api_only) (await import('./store/shared-storage.ts')).requireSharedStorage(loaded, 'A server for the API only needs');
  makeDataDirectory(data_directory);
  warnOfOtherWriters(data_directory, log);
  if (settings.workers > 1) {
    const { serveWithWorkers } = await import('./cluster/primary.ts');
    return serveWithWorkers(options);
  }
  const undo = new AsyncDisposableStack();
  try {
    if (!api_only) undo.use(lockDataDirectory(data_directory));
    // Loading the web framework and opening the store take about as long as each other.
    const [broker] = await Promise.all([compose({ loaded, log, ...(api_only ? { loop: 'none' } : {}) }), import('./rest/app.ts')]);
    undo.defer(() => broker.close());
    const socket_path = await socketPathOf(options);
    const http = await serveHttp({ broker, log, ...(log_calls ? { log_calls } : {}), socket_path });
    undo.defer(() => http.close());
    const { port } = http.address;
    if (!api_only) undo.use(announce(options, port, socket_path));
    warnOfOthers(http.address.address, settings.host, log);
    const { errors, warnings } = broker.services.templates.cacheStats;
    for (const wrong of [...errors, ...warnings]) log.warn({}, wrong);
    const url = urlOf(settings.host, port);
    let closing: Promise<void> | undefined;
    return { url, greeting: firstSteps(broker, url), close: () => (closing ??= undo.disposeAsync()) };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

/** Where the Unix socket is. Null: a server for the API only leaves the usual place to the one that it serves beside. */
export async function socketPathOf({ loaded, log, api_only }: ServeOptions): Promise<string | null> {
  const { data_directory, server } = loaded.configuration;
  const path = server.socket_path ?? (api_only ? null : join(data_directory, 'muster.sock'));
  return path === null ? null : freeSocketPath(path, log);
}

/** Says in `server.json` where the server is, until it is disposed of. */
export function announce({ loaded, start }: ServeOptions, port: number, socket_path: string | null): Disposable {
  const { data_directory, server } = loaded.configuration;
  const started_at = new Date().toISOString();
  const { version } = thisPackage;
  if (start) writeLastStart(data_directory, start);
  const place = { pid: process.pid, host: server.host, port, socket_path, started_at, version, ...(start ? { start } : {}) };
  writeServerPlace(data_directory, place);
  return { [Symbol.dispose]: () => removeServerPlace(data_directory) };
}

export function urlOf(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

export function warnOfOthers(address: string, host: string, log: Log): void {
  if (isLoopback(address)) return;
  log.warn({ host }, 'Everyone who reaches this address can request and return machines: put a gateway in front that authenticates.');
}
