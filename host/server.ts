import { setTimeout as sleep } from 'node:timers/promises';
import { compose } from './compose.ts';
import { announce } from './data-directory/announce.ts';
import { listenError } from './client/listen-error.ts';
import { claimDirectory } from './data-directory/claim-directory.ts';
import { makeDataDirectory, warnOfOtherWriters } from './data-directory/data-directory.ts';
import { firstSteps } from './process/first-steps.ts';
import { cannotListen, serveHttp } from './http/serve-http.ts';
import type { RunningServer, ServeOptions } from './http/serve-options.ts';
import { socketPathOf, warnOfOpenAddress } from './http/socket-path.ts';
import { urlOf } from './http/url-of.ts';
import { reachStorage } from './store/reach-storage.ts';
import { whenStorageIsThere } from './store/when-storage-is-there.ts';
import { refuseSamples } from './data-directory/refuse-samples.ts';

/**
 * Starts the server of a data directory: TCP, the Unix socket, and `server.json` with their addresses. One server runs
 * per directory, and any number of API-only servers beside it. With `server.workers` above 1, separate processes serve
 * HTTP.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { loaded, log, log_calls, api_only } = options;
  const { configuration } = loaded;
  const { data_directory, server: settings } = configuration;
  refuseSamples(loaded, process.cwd());
  if (api_only) (await import('./store/shared-storage.ts')).requireSharedStorage(loaded, 'An API-only server needs');
  if (settings.workers > 1)
    (await import('./store/shared-storage.ts')).requireSharedStorage(loaded, `${settings.workers} workers need`);
  makeDataDirectory(data_directory);
  warnOfOtherWriters(data_directory, log);
  const undo = new AsyncDisposableStack();
  try {
    // Before it waits for anything: other commands find a server that waits.
    const directory = api_only ? undefined : undo.use(claimDirectory(options));
    const { host, port: wanted } = settings;
    const inUse = await listenError(wanted, host);
    if (inUse) throw cannotListen(host, wanted, inUse);
    await reachStorage(loaded, log, directory?.waits);
    if (settings.workers > 1) {
      const { serveWithWorkers } = await import('./cluster/primary.ts');
      return await serveWithWorkers(options, undo);
    }
    // Loading the web framework and opening the store take about equally long.
    const [broker] = await Promise.all([
      whenStorageIsThere(() => compose({ loaded, log, ...(api_only ? { loop: 'none' } : {}) }), log, directory?.waits),
      import('./rest/app.ts'),
    ]);
    undo.defer(() => broker.close());
    const socket_path = await socketPathOf(options);
    const http = await serveHttp({ broker, log, ...(log_calls ? { log_calls } : {}), socket_path });
    undo.defer(() => http.close());
    // First /readyz refuses, then other brokers get the requests, then the port is closed.
    undo.defer(() => Promise.all([broker.drain(), sleep(settings.drain_s * 1_000)]).then(() => undefined));
    const { port } = http.address;
    if (!api_only) undo.use(announce(options, port, socket_path));
    warnOfOpenAddress(http.address.address, settings.host, log);
    const { errors, warnings } = broker.services.templateLibrary.cacheStats;
    for (const wrong of [...errors, ...warnings]) log.warn({}, wrong);
    broker.startJobs();
    const url = urlOf({ host: settings.host, port });
    let closing: Promise<void> | undefined;
    return {
      url,
      greeting: firstSteps(broker, url),
      useBudgets: async (budgets) => broker.useBudgets(budgets),
      close: () => (closing ??= undo.disposeAsync()),
    };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}
