import closeWithGrace from 'close-with-grace';
import { loadConfiguration } from '../../config/load.ts';
import { sentence } from '../../core/findings.ts';
import { firstSteps } from '../first-steps.ts';
import { stderrLog } from '../log.ts';
import { serve } from '../server.ts';
import { exitCodes } from './exit-codes.ts';
import type { StartFlags } from './server.ts';

/** Longer than calls, loop and store may take to end, each by its own bound. */
const graceMs = 30_000;

/** `muster server start --foreground`: serves until a signal comes. */
export async function startServer(flags: StartFlags): Promise<void> {
  if (!flags.foreground) {
    process.stderr.write(
      'muster: the server runs in the foreground only; add --foreground, and let a service manager keep it in the background.\n',
    );
    process.exit(exitCodes.usage);
  }
  const loaded = await loadConfiguration({
    cwd: process.cwd(),
    env: process.env,
    ...(flags.config === undefined ? {} : { file: flags.config }),
    overrides: overridesOf(flags),
  });
  const { log_level } = loaded.configuration.server;
  const log = stderrLog(log_level);
  for (const finding of loaded.findings) log.warn({}, sentence(finding));
  const server = await serve({ loaded, log, log_calls: log.isLevelEnabled('debug') });
  closeWithGrace({ delay: graceMs, logger: false, onSecondSignal: () => process.exit(1) }, async ({ err }) => {
    if (err) log.fatal({ err }, 'muster failed and stops.');
    await server.close();
  });
  for (const wrong of server.broker.services.templates.cacheStats.errors) log.warn({}, wrong);
  process.stdout.write(firstSteps(server.broker, server.url));
}

function overridesOf({ host, port, serverLogLevel, socketPath }: StartFlags): Record<string, unknown> {
  const server = Object.entries({ host, port, log_level: serverLogLevel, socket_path: socketPath }).filter(
    ([, value]) => value !== undefined,
  );
  return server.length === 0 ? {} : { server: Object.fromEntries(server) };
}
