import { loadConfiguration, type LoadedConfiguration } from '../../../../../config/load.ts';
import type { ConfigurationFlags } from './start-flags.ts';

/** Loads the configuration of a server that is started with these options. */
export const loadForStart = (flags: ConfigurationFlags): Promise<LoadedConfiguration> =>
  loadConfiguration({
    cwd: process.cwd(),
    env: process.env,
    ...(flags.config === undefined ? {} : { file: flags.config }),
    overrides: overridesOf(flags),
  });

function overridesOf({
  host,
  port,
  serverLogLevel,
  socketPath,
  workers,
}: ConfigurationFlags): Record<string, unknown> {
  const server = Object.entries({ host, port, log_level: serverLogLevel, socket_path: socketPath, workers }).filter(
    ([, value]) => value !== undefined,
  );
  return server.length === 0 ? {} : { server: Object.fromEntries(server) };
}
