import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isTaken } from '../data-directory/data-directory.ts';
import { readProcessStat } from './process-stat.ts';
import { ownerOfPlaceText } from '../data-directory/place-text.ts';
import { placeFile, type ServerPlace } from '../data-directory/server-place.ts';
import { readStartingServer, startingFile, type StartingServer } from '../data-directory/starting-server.ts';
import { isServerProcess } from './running-server.ts';

/**
 * Returns why the process in `file` is not the server of the data directory; undefined when it is. The server is the
 * process that has the lock file open and belongs to the user who wrote `file`.
 */
export function whyNotItsServer(
  { pid }: Pick<ServerPlace, 'pid'>,
  dataDirectory: string,
  file: string = placeFile,
): string | undefined {
  const listed = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
  // Without /proc, a user can only end own processes, unless the user is root: then some process must hold the lock.
  if (!listed) return isTaken(dataDirectory) ? undefined : 'no process holds that directory';
  const writer = ownerOfPlaceText(dataDirectory, file);
  if (writer !== listed.uid)
    return `the process belongs to the user with id ${listed.uid}, and the user with id ${writer ?? 'unknown'} wrote ${file}`;
  // The open files of a process that is ending cannot be listed; to end it once more does no harm.
  if (readProcessStat(pid)?.state === 'ending') return undefined;
  try {
    return hasOpen(pid, join(dataDirectory, 'server.lock')) ? undefined : 'that process does not hold the directory';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'that process has ended' : `its open files cannot be listed (${code})`;
  }
}

/** Returns the server that has the data directory and does not answer yet; undefined when there is none. */
export function startingServer(dataDirectory: string): StartingServer | undefined {
  const starting = readStartingServer(dataDirectory);
  if (!starting || !isServerProcess(starting)) return undefined;
  return whyNotItsServer(starting, dataDirectory, startingFile) === undefined ? starting : undefined;
}

/** As `startingServer`, when its start waits. */
export function waitingServer(dataDirectory: string): StartingServer | undefined {
  const starting = startingServer(dataDirectory);
  return starting?.waits_for === undefined ? undefined : starting;
}

/** Throws the error of the operating system when the process cannot be examined. */
function hasOpen(pid: number, file: string): boolean {
  const target = statSync(file, { throwIfNoEntry: false });
  if (!target) return false;
  return readdirSync(`/proc/${pid}/fd`).some((name) => {
    const open = statSync(`/proc/${pid}/fd/${name}`, { throwIfNoEntry: false });
    return open?.ino === target.ino && open.dev === target.dev;
  });
}
