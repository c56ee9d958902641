import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { whyUntrusted } from '../../../../config/checks/why-untrusted.ts';
import { BrokerError } from '../../../../core/contract/errors.ts';
import { isTaken, lockStart } from '../../../data-directory/data-directory.ts';
import { startWithLock, tryStart, type Started } from '../../../client/background-server.ts';
import { dataDirectoryOf } from '../../../client/data-directory-of.ts';
import { runningServer } from '../../../client/running-server.ts';
import { waitingServer } from '../../../client/server-process.ts';
import { urlOf } from '../../../http/url-of.ts';
import type { ServerPlace } from '../../../data-directory/server-place.ts';
import type { StartingServer } from '../../../data-directory/starting-server.ts';
import { readLastStart } from '../../../data-directory/start-record.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { exitCodes } from '../../exit-codes.ts';
import { startBackgroundServer, reportStart } from './start/server-background.ts';
import { endServer, livingServer } from './server-stop.ts';
import { restartParameters, type RestartParameters } from './start/restart-parameters.ts';
import type { ConfigurationFlags } from './start/start-flags.ts';

export interface RestartFlags extends ConfigurationFlags {
  readonly force?: boolean;
}

/** Milliseconds to wait for the start lock: another restart may hold it while its server ends slowly. */
const lockMs = 60_000;
/** Milliseconds within which an unknown supervisor restarts its server. */
const supervisorMs = 1_500;
const pollMs = 40;

/**
 * `muster server restart`: restarts the server with its own configuration, options and variables. Stops the running
 * server only after a check that the new one can start.
 */
export async function restartServer(flags: RestartFlags, terminal: Terminal): Promise<number> {
  const dataDirectory = dataDirectoryOf(flags.config);
  if (!existsSync(dataDirectory)) return startBackgroundServer(flags, terminal);
  // The data directory contains the program and the variables of the restart.
  const why = whyUntrusted(dataDirectory);
  if (why !== undefined) throw notTrusted(dataDirectory, why);
  // Other commands that find no server wait for this lock instead of starting one.
  using _ = await waitForStartLock(dataDirectory);
  const place = await livingServer(dataDirectory);
  const last = place?.start ?? readLastStart(dataDirectory);
  if (place && last?.run === 'service') throw supervised(place);
  const restart = restartParameters(last, {
    flags,
    dataDirectory,
    environment: process.env,
    cwd: process.cwd(),
    ...(place ? { pid: place.pid } : {}),
  });
  for (const note of restart.notes) terminal.err(`${note}\n`);
  if (place) {
    const { code, output } = await tryStart(restart.options, restart.context);
    if (code !== 0) {
      terminal.err(`${output}muster: nothing was stopped: the server (pid ${place.pid}) continues unchanged.\n`);
      return code;
    }
    const ended = await endServer(place, flags.force ?? false, terminal);
    if (ended !== exitCodes.done) return ended;
  } else terminal.err(`No server runs on the data directory ${dataDirectory}.\n`);
  const inForeground = place !== undefined && last?.run === 'foreground';
  const other = inForeground ? await startedBySupervisor(dataDirectory) : undefined;
  if (other) {
    const answers = 'port' in other;
    const where = answers
      ? `at ${urlOf(other)} (pid ${other.pid}).`
      : `(pid ${other.pid}), and it waits with its start.`;
    terminal.out(`The supervisor of the server has restarted it ${where}\n`);
    if (!answers) terminal.err(`muster: ${other.waits_for}\n`);
    return answers ? exitCodes.done : exitCodes.unreachable;
  }
  if (inForeground) terminal.err('The server ran in the foreground; it now runs in the background.\n');
  return reportStart(await startOn(dataDirectory, restart), dataDirectory, terminal);
}

async function waitForStartLock(dataDirectory: string): Promise<Disposable> {
  const end = performance.now() + lockMs;
  for (;;) {
    const startLock = lockStart(dataDirectory);
    if (startLock) return startLock;
    if (performance.now() > end)
      throw new BrokerError(
        'CONFLICT',
        `Another command has been starting a server on ${dataDirectory} for ${lockMs / 1000} s.`,
      );
    await sleep(pollMs);
  }
}

/** Starts the server. A start without the lock, for example `server start --foreground`, may still be faster. */
async function startOn(dataDirectory: string, { options, context }: RestartParameters): Promise<Started> {
  const started = await startWithLock(dataDirectory, options, context);
  if (!started.place || started.own) return started;
  throw new BrokerError(
    'CONFLICT',
    `Another server (pid ${started.place.pid}, ${urlOf(started.place)}) was faster on ${dataDirectory}.`,
  );
}

async function startedBySupervisor(dataDirectory: string): Promise<ServerPlace | StartingServer | undefined> {
  const end = performance.now() + supervisorMs;
  while (performance.now() < end || isTaken(dataDirectory)) {
    const place = (await runningServer(dataDirectory)) ?? waitingServer(dataDirectory);
    if (place) return place;
    await sleep(pollMs);
  }
  return undefined;
}

function supervised(place: ServerPlace | StartingServer): BrokerError {
  const where = 'port' in place ? `, ${urlOf(place)}` : '';
  return new BrokerError(
    'CONFLICT',
    `The server (pid ${place.pid}${where}) runs under a service manager, which would start another one: restart it there, for example with \`systemctl restart\`.`,
  );
}

function notTrusted(dataDirectory: string, why: string): BrokerError {
  return new BrokerError(
    'CONFLICT',
    `The data directory ${dataDirectory} decides what a restart runs, and ${why}. Restart it as its owner, remove the permissions of other users, or use \`muster server stop\` and \`start\`.`,
  );
}
