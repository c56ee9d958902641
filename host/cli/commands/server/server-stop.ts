import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerError } from '../../../../core/contract/errors.ts';
import { isTaken } from '../../../data-directory/data-directory.ts';
import { readServerPlace, type ServerPlace } from '../../../data-directory/server-place.ts';
import type { StartingServer } from '../../../data-directory/starting-server.ts';
import { dataDirectoryOf } from '../../../client/data-directory-of.ts';
import { isServerProcess } from '../../../client/running-server.ts';
import { startingServer, whyNotItsServer } from '../../../client/server-process.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { exitCodes } from '../../exit-codes.ts';

/** Milliseconds to wait for the server to end: longer than a server needs. */
const stopMs = 35_000;
/** Milliseconds to wait for a starting server: longer than it takes from holding the directory to listening. */
const startMs = 5_000;
const killMs = 5_000;
const pollMs = 40;

/** `muster server stop`. Succeeds when no server runs. */
export async function stopServer(config: string | undefined, force: boolean, terminal: Terminal): Promise<number> {
  const dataDirectory = dataDirectoryOf(config);
  const place = await livingServer(dataDirectory);
  if (place) return endServer(place, force, terminal);
  terminal.err(`No server runs on the data directory ${dataDirectory}.\n`);
  return exitCodes.done;
}

/** What identifies the process of a server. */
type ServerProcess = Pick<ServerPlace, 'pid' | 'started_at'>;

/** Stops a server gracefully; with `force`, kills it when it does not end. Returns the exit code. */
export async function endServer(place: ServerProcess, force: boolean, terminal: Terminal): Promise<number> {
  if (await ended(place, 'SIGTERM', stopMs)) {
    terminal.out(`The server (pid ${place.pid}) has ended.\n`);
    return exitCodes.done;
  }
  if (force && (await ended(place, 'SIGKILL', killMs))) {
    terminal.out(`The server (pid ${place.pid}) did not end by itself and was killed.\n`);
    return exitCodes.done;
  }
  terminal.err(
    `muster: the server (pid ${place.pid}) has not ended within ${stopMs / 1000} s${force ? '.' : '; --force kills it.'}\n`,
  );
  return exitCodes.failed;
}

/**
 * Returns the server process of the directory; undefined when there is none. Waits a moment for a starting server; one
 * that waits itself, or starts for long, is returned as it is. Throws CONFLICT when the recorded process is not the
 * server: every user who can write there could record any pid.
 */
export async function livingServer(dataDirectory: string): Promise<ServerPlace | StartingServer | undefined> {
  const end = performance.now() + startMs;
  for (;;) {
    const place = readServerPlace(dataDirectory);
    if (place && isServerProcess(place)) {
      const why = whyNotItsServer(place, dataDirectory);
      if (why === undefined) return place;
      // The process may have ended in the meantime.
      if (isServerProcess(place)) throw notItsServer(place, dataDirectory, why);
    }
    if (!existsSync(dataDirectory) || !isTaken(dataDirectory)) return undefined;
    const late = performance.now() > end;
    const starting = startingServer(dataDirectory);
    if (starting && (late || starting.waits_for !== undefined)) return starting;
    if (late)
      throw new BrokerError(
        'CONFLICT',
        `A process that is not a server holds the data directory ${dataDirectory}: a program that embeds muster, or a command with --no-server. Stop that process.`,
      );
    await sleep(pollMs);
  }
}

const notItsServer = ({ pid }: ServerPlace, dataDirectory: string, why: string): BrokerError =>
  new BrokerError(
    'CONFLICT',
    `${dataDirectory} names the process ${pid} as its server, but ${why}: it is not stopped. If a server runs in another container or as another user, stop it there; if none runs, remove ${dataDirectory}/server.json.`,
  );

/** Sends a signal and waits until the process has ended; false after `ms`. */
async function ended(place: ServerProcess, signal: NodeJS.Signals, ms: number): Promise<boolean> {
  try {
    process.kill(place.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM')
      throw new BrokerError('CONFLICT', `The server (pid ${place.pid}) belongs to another user, who must stop it.`);
  }
  const end = performance.now() + ms;
  while (isServerProcess(place)) {
    if (performance.now() > end) return false;
    await sleep(pollMs);
  }
  return true;
}
