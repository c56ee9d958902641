import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { configurationDirectory } from '../../../../../config/sources/search-places.ts';
import { BrokerError } from '../../../../../core/contract/errors.ts';
import type { ProcessContext } from '../../../../client/background-server.ts';
import type { StartRecord } from '../../../../data-directory/start-record.ts';
import { optionsOf, optionsOver, type ConfigurationFlags } from './start-flags.ts';

/** What the process of a server is started with so that it is what ran before. */
export interface Again {
  readonly options: readonly string[];
  readonly context: ProcessContext;
  /** What the person should know, a sentence each. */
  readonly notes: readonly string[];
}

/** Where and by whom it is asked for. */
export interface Asked {
  readonly flags: ConfigurationFlags;
  readonly dataDirectory: string;
  /** The environment of the one who asks. */
  readonly here: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The server that runs: the system may know variables of it that are written down nowhere. */
  readonly pid?: number;
}

const ours = /^MUSTER_/;

/**
 * How a server is started as it was the last time: with its configuration file, options, directory and variables, under the options that are given now.
 * FILE_NOT_FOUND when its configuration has gone, INVALID_CONFIGURATION when a secret of its environment is not known here.
 */
export function startAgain(last: StartRecord | undefined, { flags, dataDirectory, here, cwd, pid }: Asked): Again {
  // A path that is given now is meant from here.
  const { socketPath } = flags;
  const given = optionsOf({ ...flags, ...(socketPath === undefined ? {} : { socketPath: resolve(cwd, socketPath) }) });
  const named = flags.config === undefined ? undefined : resolve(cwd, flags.config);
  if (!last) return { options: [...configured(named), ...given], context: {}, notes: [] };
  const config = named ?? last.config ?? undefined;
  if (config !== undefined && !existsSync(config)) throw gone(config, named === undefined);
  const from = [last.cwd, dirname(config ?? dataDirectory)].find((directory) => existsSync(directory)) ?? cwd;
  const env = { ...without(here), ...last.env, ...secretsAgain(last.secret_env, here, pid) };
  return {
    options: [...configured(config), ...optionsOver(last.options, given)],
    context: { cwd: from, env: onDataDirectory(env, dataDirectory, config, from) },
    notes: unused(here, env),
  };
}

const configured = (config: string | undefined): readonly string[] => (config === undefined ? [] : ['--config', config]);

const without = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));

/** The data directory stays the one that was meant, whatever else changes. */
function onDataDirectory(env: NodeJS.ProcessEnv, dataDirectory: string, config: string | undefined, cwd: string): NodeJS.ProcessEnv {
  const usual = join(config === undefined ? configurationDirectory(cwd) : dirname(config), 'data');
  const { MUSTER_DATA_DIR: moved } = env;
  return (moved ? resolve(cwd, moved) : usual) === dataDirectory ? env : { ...env, MUSTER_DATA_DIR: dataDirectory };
}

/** Values of variables that were not written down: those set here, else those of the server that runs, where the system shows them. */
function secretsAgain(names: readonly string[], here: NodeJS.ProcessEnv, pid: number | undefined): NodeJS.ProcessEnv {
  const there = pid === undefined ? {} : environmentOf(pid);
  const values = Object.fromEntries(names.map((name) => [name, here[name] || there[name]]));
  const missing = names.filter((name) => !values[name]);
  if (missing.length === 0) return values;
  throw new BrokerError(
    'INVALID_CONFIGURATION',
    `The server was started with ${missing.join(', ')} in its environment. Secrets are not kept on disk: Set it here as well, or use \`muster server stop\` and \`start\`.`,
  );
}

/** The environment that a process of this user was started with; nothing where the system does not show it. */
function environmentOf(pid: number): Readonly<Record<string, string>> {
  try {
    const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  } catch {
    return {};
  }
}

/** Which configuration and directory are meant is said by two variables; of all others the server keeps its own. */
function unused(here: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(here).filter((name) => ours.test(name) && !['MUSTER_CONFIG', 'MUSTER_DATA_DIR'].includes(name));
  const lost = names.filter((name) => here[name] && here[name] !== env[name]);
  if (lost.length === 0) return [];
  return [
    `Not used: ${lost.join(', ')} of this environment. The server keeps its own; \`muster server stop\` and \`start\` take new ones.`,
  ];
}

function gone(config: string, remembered: boolean): BrokerError {
  const message = remembered
    ? `The configuration file ${config}, with which the server was started, is not there any more. Name the one to go on with: \`muster server restart --config FILE\`.`
    : `The configuration file ${config} does not exist.`;
  return new BrokerError('FILE_NOT_FOUND', message, { file: config });
}
