import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { startInBackground, type Started } from '../../client/background-server.ts';
import { noConfiguration, type ScriptPlace } from './script-place.ts';

/**
 * Starts the server of a script's data directory in the background, and resolves when one listens, or when another
 * that had the directory has ended. Throws with what it output when it cannot start. /
 */
export async function startServerForScript({ configuration, data_directory, looked }: ScriptPlace): Promise<void> {
  if (configuration === undefined) throw noConfiguration(looked);
  if (!existsSync(configuration))
    throw new Error(`The configuration file ${configuration}, which ${looked} names, does not exist.`);
  // The server inherits surroundings that outlive the scheduler's call.
  Object.assign(process.env, proxyIn(process.env['SCRIPT_OPTIONS'] ?? ''), { MUSTER_DATA_DIR: data_directory });
  const start = (...more: readonly string[]): Promise<Started> =>
    startInBackground(data_directory, ['--config', configuration, ...more], { cwd: dirname(configuration) });
  let started = await start();
  // Nobody asked for the port: when another has it, the socket is enough.
  if (!started.place && /Port \d+ on \S+ is in use/.test(started.output.join())) started = await start('--port', '0');
  if (started.place) return;
  const output = started.output.join('\n');
  if (/Another server/.test(output)) return;
  if (started.code === undefined)
    throw new Error(`The server does not answer; ${data_directory}/server.log may say why.`);
  throw new Error(`The server could not be started. ${lastWords(output)}`);
}

/** LSF hands a proxy down as options of a Java runtime. */
function proxyIn(options: string): Readonly<Record<string, string>> {
  const [, host] = /-Dhttps?\.proxyHost=(\S+)/.exec(options) ?? [];
  const [, port] = /-Dhttps?\.proxyPort=(\d+)/.exec(options) ?? [];
  return { ...(host ? { MUSTER_CLOUD_PROXY_HOST: host } : {}), ...(port ? { MUSTER_CLOUD_PROXY_PORT: port } : {}) };
}

/** What a server output at its end: the refusal in a sentence, else its last lines. */
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
