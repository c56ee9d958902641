import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { configurationDirectory } from '../../../../../config/sources/search-places.ts';
import { BrokerError } from '../../../../../core/contract/errors.ts';
import type { ProcessContext } from '../../../../client/background-server.ts';
import type { StartRecord } from '../../../../data-directory/start-record.ts';
import { optionsOf, optionsOver, type ConfigurationFlags } from './start-flags.ts';

/** The start parameters that repeat an earlier start. */
export interface RestartParameters {
  readonly options: readonly string[];
  readonly context: ProcessContext;
  /** Sentences for the person who restarts. */
  readonly notes: readonly string[];
}

/** The restart command: its options and its place. */
export interface RestartRequest {
  readonly flags: ConfigurationFlags;
  readonly dataDirectory: string;
  /** The environment of the restart command. */
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The pid of the running server: the system may show variables of it that are not recorded. */
  readonly pid?: number;
}

const musterVariable = /^MUSTER_/;

/**
 * Returns the parameters that start a server as it was started last: with its configuration file, options, directory
 * and variables. Options of the restart command override earlier ones. Throws FILE_NOT_FOUND when its configuration no
 * longer exists, INVALID_CONFIGURATION when a secret of its environment is not available.
 */
export function restartParameters(
  last: StartRecord | undefined,
  { flags, dataDirectory, environment, cwd, pid }: RestartRequest,
): RestartParameters {
  // A path of the restart command is relative to its working directory.
  const { socketPath } = flags;
  const given = optionsOf({ ...flags, ...(socketPath === undefined ? {} : { socketPath: resolve(cwd, socketPath) }) });
  const named = flags.config === undefined ? undefined : resolve(cwd, flags.config);
  if (!last) return { options: [...configured(named), ...given], context: {}, notes: [] };
  const config = named ?? last.config ?? undefined;
  if (config !== undefined && !existsSync(config)) throw missingConfiguration(config, named === undefined);
  const from = [last.cwd, dirname(config ?? dataDirectory)].find((directory) => existsSync(directory)) ?? cwd;
  const env = { ...without(environment), ...last.env, ...secretVariables(last.secret_env, environment, pid) };
  return {
    options: [...configured(config), ...optionsOver(last.options, given)],
    context: { cwd: from, env: onDataDirectory(env, dataDirectory, config, from) },
    notes: unusedVariables(environment, env),
  };
}

const configured = (config: string | undefined): readonly string[] =>
  config === undefined ? [] : ['--config', config];

const without = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !musterVariable.test(name)));

/** Keeps the data directory, whatever the default of the new directory is. */
function onDataDirectory(
  env: NodeJS.ProcessEnv,
  dataDirectory: string,
  config: string | undefined,
  cwd: string,
): NodeJS.ProcessEnv {
  const defaultDirectory = join(config === undefined ? configurationDirectory(cwd) : dirname(config), 'data');
  const { MUSTER_DATA_DIR: configured } = env;
  return (configured ? resolve(cwd, configured) : defaultDirectory) === dataDirectory
    ? env
    : { ...env, MUSTER_DATA_DIR: dataDirectory };
}

/**
 * Returns the values of unrecorded variables: from this environment, else from the running server when the system
 * shows them.
 */
function secretVariables(
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
  pid: number | undefined,
): NodeJS.ProcessEnv {
  const there = pid === undefined ? {} : environmentOf(pid);
  const values = Object.fromEntries(names.map((name) => [name, environment[name] || there[name]]));
  const missing = names.filter((name) => !values[name]);
  if (missing.length === 0) return values;
  throw new BrokerError(
    'INVALID_CONFIGURATION',
    `The server was started with ${missing.join(', ')} in its environment. Secrets are not stored on disk: set them here as well, or use \`muster server stop\` and \`start\`.`,
  );
}

/** Returns the initial environment of a process of this user; empty when the system does not show it. */
function environmentOf(pid: number): Readonly<Record<string, string>> {
  try {
    const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  } catch {
    return {};
  }
}

/**
 * Reports variables of this environment that the restart ignores. Only the variables of configuration and data
 * directory apply; of all others the server keeps its own.
 */
function unusedVariables(environment: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(environment).filter(
    (name) => musterVariable.test(name) && !['MUSTER_CONFIG', 'MUSTER_DATA_DIR'].includes(name),
  );
  const ignored = names.filter((name) => environment[name] && environment[name] !== env[name]);
  if (ignored.length === 0) return [];
  return [
    `Not used: ${ignored.join(', ')} of this environment. The server keeps its own values; \`muster server stop\` and \`start\` use new ones.`,
  ];
}

function missingConfiguration(config: string, wasRecorded: boolean): BrokerError {
  const message = wasRecorded
    ? `The configuration file ${config}, with which the server was started, no longer exists. Pass another one: \`muster server restart --config FILE\`.`
    : `The configuration file ${config} does not exist.`;
  return new BrokerError('FILE_NOT_FOUND', message, { file: config });
}
