import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** What a file holds that this user or root wrote. */
export type OwnFile =
  | { readonly text: string }
  /** It is not there, or what is there is a link or no file: none that muster made. */
  | { readonly text?: undefined; readonly foreign?: string };

/**
 * Reads a file of the data directory that says what a command does: none that another user put there, or may write.
 * Root reads those of every user, and has to look itself whose they are. Throws as the system does where it may not be read.
 */
export function readOwnFile(path: string): OwnFile {
  const file = opened(path);
  if (file === undefined) return {};
  try {
    const found = fstatSync(file);
    const { uid, mode } = found;
    if (!found.isFile()) return {};
    const me = process.getuid?.() ?? uid;
    if (me !== 0 && uid !== me && uid !== 0) return { foreign: `it belongs to the user with id ${uid}` };
    if (process.getuid && (mode & 0o022) !== 0) return { foreign: `others may write it (mode ${(mode & 0o777).toString(8)})` };
    return { text: readFileSync(file, 'utf8') };
  } finally {
    closeSync(file);
  }
}

/** Opening a pipe would wait for somebody who writes into it. */
function opened(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw error;
    return undefined;
  }
}
