import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** The content of a file that this user or root wrote. */
export type OwnFile =
  | { readonly text: string }
  /**
   * No content: the file does not exist, or is a link or no regular file. `foreign`: the reason why other users can
   * change it.
   */
  | { readonly text?: undefined; readonly foreign?: string };

/**
 * Reads a file of the data directory that decides what a command does. Does not read a file that another user owns or
 * can write. Root reads the files of every user; its caller must check the owner. Throws the error of the operating
 * system when this user may not read the file.
 */
export function readOwnFile(path: string): OwnFile {
  const file = openFile(path);
  if (file === undefined) return {};
  try {
    const found = fstatSync(file);
    const { uid, mode } = found;
    if (!found.isFile()) return {};
    const me = process.getuid?.() ?? uid;
    if (me !== 0 && uid !== me && uid !== 0) return { foreign: `it belongs to the user with id ${uid}` };
    if (process.getuid && (mode & 0o022) !== 0)
      return { foreign: `other users can write to it (mode ${(mode & 0o777).toString(8)})` };
    return { text: readFileSync(file, 'utf8') };
  } finally {
    closeSync(file);
  }
}

/** Replaces a file in one step, so that nobody reads a part of it. Its owner alone can read it. */
export function replaceOwnFile(path: string, content: unknown): void {
  const temporary = `${path}.${randomUUID()}`;
  writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}

/** Opens the file without blocking: opening a pipe would wait for a writer. */
function openFile(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw error;
    return undefined;
  }
}
