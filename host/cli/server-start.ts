import closeWithGrace from 'close-with-grace';
import { loadConfiguration } from '../../config/load.ts';
import { sentence } from '../../core/findings.ts';
import { stderrLog } from '../log.ts';
import { secretsOf } from '../secrets.ts';
import { serve } from '../server.ts';
import type { StartFlags } from './server.ts';
import { followSupervisor, tellSupervisor } from './supervised.ts';

/** Longer than calls, loop and store may take to end, each by its own bound. */
const graceMs = 30_000;

/** `muster server start --foreground`: serves until a signal comes. */
export async function startServer(flags: StartFlags): Promise<void> {
  const loaded = await loadConfiguration({
    cwd: process.cwd(),
    env: process.env,
    ...(flags.config === undefined ? {} : { file: flags.config }),
    overrides: overridesOf(flags),
  });
  const { log_level } = loaded.configuration.server;
  tellSupervisor(loaded);
  const log = stderrLog(log_level, { secrets: secretsOf(loaded) });
  for (const finding of loaded.findings) log.warn({}, sentence(finding));
  const server = await serve({ loaded, log, log_calls: log.isLevelEnabled('debug'), ...(flags.apiOnly ? { api_only: true } : {}) });
  const grace = closeWithGrace({ delay: graceMs, logger: false, onSecondSignal: () => process.exit(1) }, async ({ err }) => {
    if (err) log.fatal({ err }, 'muster failed and stops.');
    await server.close();
  });
  followSupervisor(() => grace.close());
  process.stdout.write(server.greeting);
}

function overridesOf({ host, port, serverLogLevel, socketPath, workers }: StartFlags): Record<string, unknown> {
  const server = Object.entries({ host, port, log_level: serverLogLevel, socket_path: socketPath, workers }).filter(
    ([, value]) => value !== undefined,
  );
  return server.length === 0 ? {} : { server: Object.fromEntries(server) };
}
