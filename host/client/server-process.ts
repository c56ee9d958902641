import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isTaken } from '../data-directory/data-directory.ts';
import { ownerOfServerPlace, type ServerPlace } from '../data-directory/server-place.ts';

/**
 * Why the process that a data directory names is not its server, in words; undefined when it is. The server is the
 * process that has the lock of the directory open, and belongs to the user who wrote where it is.
 */
export function whyNotItsServer({ pid }: Pick<ServerPlace, 'pid'>, dataDirectory: string): string | undefined {
  const listed = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
  // Where the system lists no processes only one's own can be ended, unless by root: then somebody has to hold the lock.
  if (!listed) return isTaken(dataDirectory) ? undefined : 'nobody has that directory';
  const writer = ownerOfServerPlace(dataDirectory);
  if (writer !== listed.uid)
    return `the process belongs to the user with id ${listed.uid}, and the user with id ${writer ?? 'unknown'} wrote that`;
  try {
    return hasOpen(pid, join(dataDirectory, 'server.lock')) ? undefined : 'that process does not have the directory';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'that process has ended' : `whether it has the directory may not be seen (${code})`;
  }
}

/** Throws as the system does where the process may not be looked into. */
function hasOpen(pid: number, file: string): boolean {
  const wanted = statSync(file, { throwIfNoEntry: false });
  if (!wanted) return false;
  return readdirSync(`/proc/${pid}/fd`).some((name) => {
    const open = statSync(`/proc/${pid}/fd/${name}`, { throwIfNoEntry: false });
    return open?.ino === wanted.ino && open.dev === wanted.dev;
  });
}
