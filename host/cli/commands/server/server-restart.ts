import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { whyForeign } from '../../../../config/checks/why-foreign.ts';
import { BrokerError } from '../../../../core/contract/errors.ts';
import { isTaken, lockStart } from '../../../data-directory/data-directory.ts';
import { startWithLock, tryStart, type Started } from '../../../client/background-server.ts';
import { dataDirectoryOf } from '../../../client/data-directory-of.ts';
import { runningServer } from '../../../client/running-server.ts';
import { urlOf } from '../../../http/url-of.ts';
import type { ServerPlace } from '../../../data-directory/server-place.ts';
import { readLastStart } from '../../../data-directory/start-record.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { exitCodes } from '../../exit-codes.ts';
import { startBackgroundServer, tellStart } from './start/server-background.ts';
import { endServer, livingServer } from './server-stop.ts';
import { startAgain, type Again } from './start/start-again.ts';
import type { ConfigurationFlags } from './start/start-flags.ts';

export interface RestartFlags extends ConfigurationFlags {
  readonly force?: boolean;
}

/** Another restart may have the turn, and its server may take its time to end. */
const turnMs = 60_000;
/** A supervisor that nobody could know of starts its server anew within this. */
const supervisorMs = 1_500;
const pollMs = 40;

/** `muster server restart`: what ran, with its own configuration, options and variables. Nothing is stopped before that is known to start. */
export async function restartServer(flags: RestartFlags, terminal: Terminal): Promise<number> {
  const dataDirectory = dataDirectoryOf(flags.config);
  if (!existsSync(dataDirectory)) return startBackgroundServer(flags, terminal);
  // What is started, with which program and variables, stands there.
  const why = whyForeign(dataDirectory);
  if (why !== undefined) throw decidedByOthers(dataDirectory, why);
  // Whoever finds no server meanwhile waits for this one, instead of starting its own.
  using _ = await turnOn(dataDirectory);
  const place = await livingServer(dataDirectory);
  const last = place?.start ?? readLastStart(dataDirectory);
  if (place && last?.run === 'service') throw supervised(place);
  const again = startAgain(last, { flags, dataDirectory, here: process.env, cwd: process.cwd(), ...(place ? { pid: place.pid } : {}) });
  for (const note of again.notes) terminal.err(`${note}\n`);
  if (place) {
    const { code, output } = await tryStart(again.options, again.context);
    if (code !== 0) {
      terminal.err(`${output}muster: nothing was stopped: the server (pid ${place.pid}) goes on as it is.\n`);
      return code;
    }
    const ended = await endServer(place, flags.force ?? false, terminal);
    if (ended !== exitCodes.done) return ended;
  } else terminal.err(`No server runs on the data directory ${dataDirectory}.\n`);
  const inForeground = place !== undefined && last?.run === 'foreground';
  const other = inForeground ? await startedBySomebody(dataDirectory) : undefined;
  if (other) {
    terminal.out(`Whoever watches over it has started it anew, at ${urlOf(other)} (pid ${other.pid}).\n`);
    return exitCodes.done;
  }
  if (inForeground) terminal.err('It ran in the foreground; from now on it runs in the background.\n');
  return tellStart(await startOn(dataDirectory, again), dataDirectory, terminal);
}

async function turnOn(dataDirectory: string): Promise<Disposable> {
  const end = performance.now() + turnMs;
  for (;;) {
    const turn = lockStart(dataDirectory);
    if (turn) return turn;
    if (performance.now() > end)
      throw new BrokerError('CONFLICT', `Another command has been starting a server on ${dataDirectory} for ${turnMs / 1000} s.`);
    await sleep(pollMs);
  }
}

/** A start that is told from outside of the turn, as by `server start --foreground`, may still be faster. */
async function startOn(dataDirectory: string, { options, context }: Again): Promise<Started> {
  const started = await startWithLock(dataDirectory, options, context);
  if (!started.place || started.own) return started;
  throw new BrokerError('CONFLICT', `Another server (pid ${started.place.pid}, ${urlOf(started.place)}) was faster on ${dataDirectory}.`);
}

async function startedBySomebody(dataDirectory: string): Promise<ServerPlace | undefined> {
  const end = performance.now() + supervisorMs;
  while (performance.now() < end || isTaken(dataDirectory)) {
    const place = await runningServer(dataDirectory);
    if (place) return place;
    await sleep(pollMs);
  }
  return undefined;
}

function supervised(place: ServerPlace): BrokerError {
  return new BrokerError(
    'CONFLICT',
    `The server (pid ${place.pid}, ${urlOf(place)}) is kept running by a service manager, which would start another one: restart it there, as with \`systemctl restart\`.`,
  );
}

function decidedByOthers(dataDirectory: string, why: string): BrokerError {
  return new BrokerError(
    'CONFLICT',
    `The data directory ${dataDirectory} says what a restart runs, and ${why}. Restart it as its owner, take the rights of others away, or use \`muster server stop\` and \`start\`.`,
  );
}
