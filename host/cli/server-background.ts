import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BrokerError } from '../../core/errors.ts';
import { thisPackage } from '../package.ts';
import { startInBackground } from '../reach/background-server.ts';
import { dataDirectoryOf } from '../reach/data-directory-of.ts';
import { runningServer, urlOf } from '../reach/running-server.ts';
import { logFileOf } from '../reach/server-log.ts';
import type { ServerPlace } from '../server-place.ts';
import type { Terminal } from '../terminal.ts';
import { exitCodes } from './exit-codes.ts';
import type { StartFlags } from './server.ts';

/** `muster server start`: until it answers, or has failed to. */
export async function startBackgroundServer(flags: StartFlags, terminal: Terminal): Promise<number> {
  const dataDirectory = dataDirectoryOf(flags.config);
  const running = await runningServer(dataDirectory);
  if (running) throw another(running, dataDirectory);
  const options = optionsOf(flags);
  const started = await startInBackground(dataDirectory, options);
  if (started.place) {
    if (!started.own) throw another(started.place, dataDirectory);
    writeFileSync(optionsFile(dataDirectory), `${JSON.stringify(options)}\n`, { mode: 0o600 });
    terminal.out(
      `${thisPackage.name} ${thisPackage.version} runs in the background at ${urlOf(started.place)} (pid ${started.place.pid}).\n`,
    );
    terminal.err(`It logs to ${logFileOf(dataDirectory)}; \`muster server stop\` ends it.\n`);
    return exitCodes.done;
  }
  for (const line of started.said) terminal.err(`${line}\n`);
  const { code, pid } = started;
  if (code === undefined)
    terminal.err(`muster: the server (pid ${pid}) has not answered within 15 s; it may still come: muster server status\n`);
  else terminal.err(`muster: the server ended with ${code} at its start.\n`);
  const said: readonly (number | undefined)[] = [exitCodes.usage, exitCodes.not_found, exitCodes.refused];
  return code !== undefined && said.includes(code) ? code : exitCodes.unreachable;
}

const another = (place: ServerPlace, dataDirectory: string): BrokerError =>
  new BrokerError(
    'CONFLICT',
    `Another server (pid ${place.pid}, ${urlOf(place)}) runs on the data directory ${dataDirectory}. \`muster server restart\` starts it anew.`,
  );

const optionsFile = (dataDirectory: string): string => join(dataDirectory, 'server.options.json');

/** The options with which the server in the background was started last, so that it can be started like that again. */
export function lastOptions(dataDirectory: string): Partial<StartFlags> {
  try {
    const options = JSON.parse(readFileSync(optionsFile(dataDirectory), 'utf8')) as readonly string[];
    return Object.fromEntries(
      fields.flatMap(([field, option]) => {
        const place = options.indexOf(option);
        return place < 0 ? [] : [[field, numbers.has(field) ? Number(options[place + 1]) : options[place + 1]]];
      }),
    );
  } catch {
    return {};
  }
}

const fields = [
  ['host', '--host'],
  ['port', '--port'],
  ['config', '--config'],
  ['serverLogLevel', '--server-log-level'],
  ['socketPath', '--socket-path'],
  ['workers', '--workers'],
] as const;
const numbers: ReadonlySet<string> = new Set(['port', 'workers']);

function optionsOf(flags: StartFlags): string[] {
  return fields.flatMap(([field, option]) => {
    const value = flags[field];
    if (value === undefined) return [];
    return [option, field === 'config' ? resolve(String(value)) : String(value)];
  });
}
