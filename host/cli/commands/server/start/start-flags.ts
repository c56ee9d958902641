import { type Command, InvalidArgumentError } from 'commander';
import { defaultHost, defaultLogLevel, defaultPort, logLevels } from '../../../../../config/setting-defaults.ts';
import { port } from '../../../port.ts';

/** The options that override the configuration of a server. */
export interface ConfigurationFlags {
  readonly host?: string;
  readonly port?: number;
  readonly config?: string;
  readonly serverLogLevel?: string;
  readonly socketPath?: string;
  readonly workers?: number;
}

/** The options of `muster server start`. */
export interface StartFlags extends ConfigurationFlags {
  readonly foreground?: boolean;
  readonly apiOnly?: boolean;
  readonly reload?: boolean;
  readonly check?: boolean;
  /** Set by the process that starts a server in the background. */
  readonly inBackground?: boolean;
}

/** Adds the options that start and restart share. */
export const addConfigurationOptions = (command: Command): Command =>
  command
    .option('--host <address>', `Address to listen on (default ${defaultHost}).`)
    .option('--port <number>', `Port to listen on; 0 means any free port (default ${defaultPort}).`, port)
    .option('--config <file>', 'Configuration file. Default: the file that the search finds.')
    .option(
      '--server-log-level <level>',
      `Lowest level that is logged: ${logLevels.join(', ')} (default ${defaultLogLevel}).`,
      level,
    )
    .option('--socket-path <path>', 'Unix socket (default muster.sock in the data directory).')
    .option(
      '--workers <number>',
      'Processes that serve HTTP, 1 to 64 (default 1). Above 1, one more process runs the reconciler.',
      workers,
    );

const optionNames = {
  host: '--host',
  port: '--port',
  serverLogLevel: '--server-log-level',
  socketPath: '--socket-path',
  workers: '--workers',
} as const;

/** Returns the options in the form of the command line, without the configuration file. */
export const optionsOf = (flags: ConfigurationFlags): readonly string[] =>
  Object.entries(optionNames).flatMap(([field, option]) => {
    const value = flags[field as keyof typeof optionNames];
    return value === undefined ? [] : [option, String(value)];
  });

/** Merges options of an earlier start with options of this command, which take precedence. */
export function optionsOver(earlier: readonly string[], now: readonly string[]): readonly string[] {
  const kept = earlier.flatMap((word, place) =>
    place % 2 === 0 && !now.includes(word) ? [word, earlier[place + 1] ?? ''] : [],
  );
  return [...kept, ...now];
}

function workers(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 64)
    throw new InvalidArgumentError('It must be a number from 1 to 64.');
  return number;
}

function level(text: string): string {
  if (!(logLevels as readonly string[]).includes(text))
    throw new InvalidArgumentError(`It must be one of ${logLevels.join(', ')}.`);
  return text;
}
