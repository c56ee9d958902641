import closeWithGrace from 'close-with-grace';
import { sentence } from '../../../../../core/contract/findings.ts';
import { boundHeapGrowth } from '../../../../process/heap-growth.ts';
import { stderrLog } from '../../../../process/log.ts';
import { thisPackage } from '../../../../process/this-package.ts';
import { secretsOf } from '../../../../process/secrets.ts';
import type { RunningServer } from '../../../../http/serve-options.ts';
import { serve } from '../../../../server.ts';
import { simulatedSentenceOf } from '../../../../data-directory/simulated-instances.ts';
import { writeLastReload } from '../../../../data-directory/last-reload.ts';
import { endWhileStarting } from './end-while-starting.ts';
import { loadForStart } from './load-for-start.ts';
import { recordStart } from './record-start.ts';
import { reloadOnSignal, reloadSignal } from './reload-on-signal.ts';
import type { StartFlags } from './start-flags.ts';
import { followSupervisor, reportWatchedFiles } from './supervised.ts';

/** Milliseconds for a graceful stop: longer than the bounds of calls, loop and store together. */
const graceMs = 30_000;

/** `muster server start --foreground`: serves until a signal. */
export async function startServer(flags: StartFlags): Promise<void> {
  const loaded = await loadForStart(flags);
  const { server: settings, scheduler, providers, data_directory } = loaded.configuration;
  reportWatchedFiles(loaded);
  const log = stderrLog(settings.log_level, { secrets: secretsOf(loaded) });
  for (const finding of loaded.findings) log.warn({}, sentence(finding));
  const start = recordStart(loaded, flags);
  const running = Promise.withResolvers<RunningServer>();
  // Before `server.json` names this process: the signal ends a process that does not handle it.
  reloadOnSignal({
    loaded,
    log,
    server: running.promise,
    load: () => loadForStart(flags),
    // The file belongs to the server of the directory; one that only serves the API has its log.
    tell: (outcome) => void (flags.apiOnly || writeLastReload(data_directory, outcome)),
  });
  const starting = endWhileStarting(log);
  const server = await serve({
    loaded,
    log,
    start,
    log_calls: log.isLevelEnabled('debug'),
    ...(flags.apiOnly ? { api_only: true } : {}),
  });
  running.resolve(server);
  boundHeapGrowth();
  const grace = closeWithGrace(
    { delay: graceMs, logger: false, skip: [reloadSignal], onSecondSignal: () => process.exit(1) },
    async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'muster failed and stops.');
      else log.info({ pid: process.pid, signal }, 'muster stops: it answers open calls and releases its leases.');
      await server.close();
      log.info({ pid: process.pid, ran_s: Math.round(process.uptime()) }, 'muster has stopped.');
    },
  );
  starting[Symbol.dispose]();
  followSupervisor(() => grace.close());
  const names = providers.map(({ name }) => name);
  const about = { pid: process.pid, configuration: start.config, data_directory, workers: settings.workers };
  const what = `(scheduler ${scheduler}, providers ${names.join(', ') || 'none'})`;
  log.info(about, `${thisPackage.name} ${thisPackage.version} answers at ${server.url} ${what}.`);
  const simulated = simulatedSentenceOf(loaded);
  if (simulated !== undefined) log.info({ provider_instances: start.simulated }, simulated);
  if (!process.stdout.isTTY) return;
  process.stdout.write(server.greeting);
  if (simulated !== undefined) process.stdout.write(`${simulated}\n`);
}
