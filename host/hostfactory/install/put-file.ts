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
 * Writes a file in one step, so that who reads never has half of it. One that is there keeps its rights and its owner,
 * unless other rights are named. Root installs into directories of other users, so no link of theirs is followed and
 * no name is used that they could know before. INVALID_REQUEST where it cannot be written. /
 */
export function putFile(path: string, content: string, mode?: number): void {
  makeDirectory(dirname(path));
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old && !old.isFile()) throw noFile(path);
  const fresh = `${path}.${randomUUID()}`;
  try {
    const file = openSync(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      writeAll(file, Buffer.from(content));
      // The owner first: a change of it takes rights away.
      if (old && process.getuid?.() === 0) fchownSync(file, old.uid, old.gid);
      fchmodSync(file, mode ?? (old ? old.mode & 0o777 : 0o644));
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw unwritable(path, cause);
  }
}

/** What a file holds; undefined where there is none. INVALID_REQUEST for a link, or what is no file. */
export function readPlainFile(path: string): string | undefined {
  refuseForeignLinks(dirname(path));
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw noFile(path);
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) throw noFile(path);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * Makes a directory with those above it. INVALID_REQUEST where that cannot be, or another user's link is on the way.
 */
export function makeDirectory(directory: string): void {
  refuseForeignLinks(directory);
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw unwritable(directory, cause);
  }
}

/** Whoever owns a link may let it lead anywhere. */
function refuseForeignLinks(directory: string): void {
  const me = process.getuid?.();
  if (me === undefined) return;
  for (let each = directory; dirname(each) !== each; each = dirname(each)) {
    const found = lstatSync(each, { throwIfNoEntry: false });
    if (!found?.isSymbolicLink() || found.uid === me || found.uid === 0) continue;
    const message = `${each} is a link of the user with id ${found.uid}, who could let it lead anywhere: it is not followed. Name the directory itself.`;
    throw new BrokerError('INVALID_REQUEST', message);
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

const noFile = (path: string): BrokerError =>
  new BrokerError('INVALID_REQUEST', `${path} is a link or no file, and stays as it is. Put the file itself there.`);

function unwritable(path: string, cause: unknown): BrokerError {
  return new BrokerError(
    'INVALID_REQUEST',
    `${path} cannot be written (${(cause as NodeJS.ErrnoException).code}).`,
    {},
    { cause },
  );
}
