import { type Command, InvalidArgumentError } from 'commander';
import { defaultHost, defaultLogLevel, defaultPort, logLevels } from '../../../../../config/setting-defaults.ts';
import { port } from '../../../port.ts';

/** What says by which configuration a server runs. */
export interface ConfigurationFlags {
  readonly host?: string;
  readonly port?: number;
  readonly config?: string;
  readonly serverLogLevel?: string;
  readonly socketPath?: string;
  readonly workers?: number;
}

/** What `muster server start` takes. */
export interface StartFlags extends ConfigurationFlags {
  readonly foreground?: boolean;
  readonly apiOnly?: boolean;
  readonly reload?: boolean;
  readonly check?: boolean;
  /** Said by the process that starts one in the background. */
  readonly inBackground?: boolean;
}

/** The options that a start and a restart take. */
export const addConfigurationOptions = (command: Command): Command =>
  command
    .option('--host <address>', `Address to listen on (default ${defaultHost}).`)
    .option('--port <number>', `Port to listen on; 0 takes any free one (default ${defaultPort}).`, port)
    .option('--config <file>', 'Configuration file, instead of the one that is found.')
    .option('--server-log-level <level>', `What is logged: ${logLevels.join(', ')} (default ${defaultLogLevel}).`, level)
    .option('--socket-path <path>', 'Unix socket (default muster.sock in the data directory).')
    .option('--workers <number>', 'Processes that serve HTTP, 1 to 64 (default 1). One more beside them carries requests out.', workers);

const optionNames = {
  host: '--host',
  port: '--port',
  serverLogLevel: '--server-log-level',
  socketPath: '--socket-path',
  workers: '--workers',
} as const;

/** The options again as the command line takes them, without the configuration file. */
export const optionsOf = (flags: ConfigurationFlags): readonly string[] =>
  Object.entries(optionNames).flatMap(([field, option]) => {
    const value = flags[field as keyof typeof optionNames];
    return value === undefined ? [] : [option, String(value)];
  });

/** Options of an earlier start, under those that are given now. */
export function optionsOver(earlier: readonly string[], now: readonly string[]): readonly string[] {
  const kept = earlier.flatMap((word, place) => (place % 2 === 0 && !now.includes(word) ? [word, earlier[place + 1] ?? ''] : []));
  return [...kept, ...now];
}

function workers(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 64) throw new InvalidArgumentError('It must be a number from 1 to 64.');
  return number;
}

function level(text: string): string {
  if (!(logLevels as readonly string[]).includes(text)) throw new InvalidArgumentError(`It must be one of ${logLevels.join(', ')}.`);
  return text;
}
