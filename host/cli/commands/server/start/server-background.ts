import { resolve } from 'node:path';
import { BrokerError } from '../../../../../core/contract/errors.ts';
import { thisPackage } from '../../../../process/this-package.ts';
import { startInBackground, type Started } from '../../../../client/background-server.ts';
import { dataDirectoryOf } from '../../../../client/data-directory-of.ts';
import { runningServer } from '../../../../client/running-server.ts';
import { waitingServer } from '../../../../client/server-process.ts';
import { urlOf } from '../../../../http/url-of.ts';
import { logFileOf } from '../../../../client/server-log.ts';
import type { ServerPlace } from '../../../../data-directory/server-place.ts';
import { startingSentence, type StartingServer } from '../../../../data-directory/starting-server.ts';
import { simulatedSentence } from '../../../../data-directory/simulated-instances.ts';
import type { Terminal } from '../../../../process/terminal.ts';
import { exitCodes } from '../../../exit-codes.ts';
import { optionsOf, type ConfigurationFlags } from './start-flags.ts';

/** `muster server start`: returns when the server answers or has failed. */
export async function startBackgroundServer(flags: ConfigurationFlags, terminal: Terminal): Promise<number> {
  const dataDirectory = dataDirectoryOf(flags.config);
  const running = await runningServer(dataDirectory);
  if (running) throw another(running, dataDirectory);
  const waiting = waitingServer(dataDirectory);
  if (waiting) throw anotherWaits(waiting, dataDirectory);
  const named = flags.config === undefined ? [] : ['--config', resolve(flags.config)];
  const started = await startInBackground(dataDirectory, [...named, ...optionsOf(flags)]);
  if (started.place && !started.own) throw another(started.place, dataDirectory);
  if (!started.place && started.waiting && started.waiting.pid !== started.pid)
    throw anotherWaits(started.waiting, dataDirectory);
  return reportStart(started, dataDirectory, terminal);
}

/** Prints the result of a start in the background. Returns the exit code. */
export function reportStart(started: Started, dataDirectory: string, terminal: Terminal): number {
  if (started.place) {
    const { place } = started;
    terminal.out(
      `${thisPackage.name} ${thisPackage.version} runs in the background at ${urlOf(place)} (pid ${place.pid}).\n`,
    );
    const simulated = place.start && simulatedSentence(place.start);
    if (simulated !== undefined) terminal.err(`${simulated}\n`);
    for (const warning of started.warned ?? []) terminal.err(`muster: warning: ${warning}\n`);
    terminal.err(`The server logs to ${logFileOf(dataDirectory)}; \`muster server stop\` ends it.\n`);
    return exitCodes.done;
  }
  for (const line of started.output) terminal.err(`${line}\n`);
  const { code, pid, waiting } = started;
  if (waiting)
    terminal.err(
      `muster: the server (pid ${waiting.pid}) has not answered within 15 s: it waits with its start. ${waiting.waits_for}\nmuster server status shows it, and muster server stop ends it.\n`,
    );
  else if (code === undefined)
    terminal.err(
      `muster: the server (pid ${pid}) has not answered within 15 s; it may still start: muster server status\n`,
    );
  else terminal.err(`muster: the server ended with ${code} at its start.\n`);
  const startCodes: readonly (number | undefined)[] = [exitCodes.usage, exitCodes.not_found, exitCodes.refused];
  return code !== undefined && startCodes.includes(code) ? code : exitCodes.unreachable;
}

const anotherWaits = (waiting: StartingServer, dataDirectory: string): BrokerError =>
  new BrokerError('CONFLICT', startingSentence(waiting, dataDirectory));

const another = (place: ServerPlace, dataDirectory: string): BrokerError =>
  new BrokerError(
    'CONFLICT',
    `Another server (pid ${place.pid}, ${urlOf(place)}) runs on the data directory ${dataDirectory}. \`muster server restart\` restarts it.`,
  );
