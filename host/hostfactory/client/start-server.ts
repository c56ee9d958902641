import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { startInBackground, type Started } from '../../client/background-server.ts';
import { noConfiguration, type ScriptPlace } from './script-place.ts';

/**
 * Starts the server of a script's data directory in the background. Resolves when a server listens, or when another
 * server that held the directory has ended. Throws with the output of the server when it cannot start.
 */
export async function startServerForScript({ configuration, data_directory, searched }: ScriptPlace): Promise<void> {
  if (configuration === undefined) throw noConfiguration(searched);
  if (!existsSync(configuration))
    throw new Error(`The configuration file ${configuration}, which ${searched} names, does not exist.`);
  // The server inherits the environment and outlives the call of the scheduler.
  Object.assign(process.env, proxyIn(process.env['SCRIPT_OPTIONS'] ?? ''), { MUSTER_DATA_DIR: data_directory });
  const start = (...more: readonly string[]): Promise<Started> =>
    startInBackground(data_directory, ['--config', configuration, ...more], { cwd: dirname(configuration) });
  let started = await start();
  // The port is only a default here: when another program uses it, any free port and the socket are sufficient.
  if (!started.place && /Port \d+ on \S+ is in use/.test(started.output.join())) started = await start('--port', '0');
  if (started.place) return;
  const output = started.output.join('\n');
  if (/Another server/.test(output)) return;
  if (started.code === undefined)
    throw new Error(`The server does not answer; ${data_directory}/server.log may contain the reason.`);
  throw new Error(`The server could not be started. ${lastWords(output)}`);
}

/** LSF passes a proxy as options of a Java runtime. */
function proxyIn(options: string): Readonly<Record<string, string>> {
  const [, host] = /-Dhttps?\.proxyHost=(\S+)/.exec(options) ?? [];
  const [, port] = /-Dhttps?\.proxyPort=(\d+)/.exec(options) ?? [];
  return { ...(host ? { MUSTER_CLOUD_PROXY_HOST: host } : {}), ...(port ? { MUSTER_CLOUD_PROXY_PORT: port } : {}) };
}

/** Returns the error message at the end of the output of a server, else its last lines. */
function lastWords(output: string): string {
  const lines = output.trim().split('\n');
  const from = lines.findLastIndex((line) => /^(muster: |\w*Error: )/.test(line));
  return lines
    .slice(from < 0 ? -3 : from)
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace('muster: ', '')
    .slice(0, 1_500);
}
