import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { BrokerError } from '../../../core/contract/errors.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Replaces a file in one step, so that a reader never sees a part of it. An existing file keeps its permissions and
 * owner unless `mode` is given. Root installs into directories of other users: so the function follows no link and
 * uses unpredictable temporary names. Throws INVALID_REQUEST when the file cannot be written.
 */
export function putFile(path: string, content: string, mode?: number): void {
  makeDirectory(dirname(path));
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old && !old.isFile()) throw notRegularFile(path);
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      writeAll(file, Buffer.from(content));
      // The owner first: changing the owner clears permissions.
      if (old && process.getuid?.() === 0) fchownSync(file, old.uid, old.gid);
      fchmodSync(file, mode ?? (old ? old.mode & 0o777 : 0o644));
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw unwritable(path, cause);
  }
}

/**
 * Returns the text of a file; undefined when there is none. Throws INVALID_REQUEST for a link or any other non-regular
 * file.
 */
export function readPlainFile(path: string): string | undefined {
  refuseForeignLinks(dirname(path));
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw notRegularFile(path);
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) throw notRegularFile(path);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * Creates a directory and its parents. Throws INVALID_REQUEST when that fails, or when a link of another user is on
 * the way.
 */
export function makeDirectory(directory: string): void {
  refuseForeignLinks(directory);
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw unwritable(directory, cause);
  }
}

/** Throws when a link of another user is on the way: its owner can redirect it. */
function refuseForeignLinks(directory: string): void {
  const me = process.getuid?.();
  if (me === undefined) return;
  for (let each = directory; dirname(each) !== each; each = dirname(each)) {
    const found = lstatSync(each, { throwIfNoEntry: false });
    if (!found?.isSymbolicLink() || found.uid === me || found.uid === 0) continue;
    const message = `${each} is a link of the user with id ${found.uid}, who can redirect it: it is not followed. Pass the directory itself.`;
    throw new BrokerError('INVALID_REQUEST', message);
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

const notRegularFile = (path: string): BrokerError =>
  new BrokerError(
    'INVALID_REQUEST',
    `${path} is a link or not a regular file, and is not changed. Replace it by a file.`,
  );

function unwritable(path: string, cause: unknown): BrokerError {
  return new BrokerError(
    'INVALID_REQUEST',
    `${path} cannot be written (${(cause as NodeJS.ErrnoException).code}).`,
    {},
    { cause },
  );
}
