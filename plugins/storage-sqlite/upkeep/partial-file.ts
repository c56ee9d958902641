import { closeSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BrokerError } from '../../../core/index.ts';
import { text } from '../database/failures.ts';

export const targetExists = (file: string) =>
  new BrokerError(
    'CONFLICT',
    `${file} exists already and was not changed. Choose another name, or replace the file with --force.`,
  );

/** Creates the partial file, and removes those of processes that were killed during a copy. */
export function makePartial(file: string): string {
  try {
    for (const { path, pid } of partialsOf(file)) {
      // In a container, the process that was killed had the same pid.
      if (pid === process.pid || !isAlive(pid)) rmSync(path);
    }
    const partial = `${file}.partial-${process.pid}`;
    closeSync(openSync(partial, 'wx', 0o600));
    return partial;
  } catch (error) {
    throw new BrokerError(
      'INVALID_REQUEST',
      `No file can be created in ${dirname(file)}: ${text(error)}.`,
      {},
      { cause: error },
    );
  }
}

/** The partial files beside a file, and what SQLite has beside them, with the processes that created them. */
export function partialsOf(file: string): readonly { readonly path: string; readonly pid: number }[] {
  const prefix = `${basename(file)}.partial-`;
  return readdirSync(dirname(file)).flatMap((name) => {
    const pid = name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined;
    return pid === undefined ? [] : [{ path: join(dirname(file), name), pid: Number(pid) }];
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Gives the complete file its name, durably. */
export function putInPlace(partial: string, file: string, replace: boolean): void {
  if (replace) renameSync(partial, file);
  else link(partial, file);
  sync(dirname(file));
}

/** Unlike a rename, a link never replaces a file that another process created meanwhile. */
function link(partial: string, file: string): void {
  try {
    linkSync(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw targetExists(file);
    // Some file systems do not support links.
    renameSync(partial, file);
  }
}

/** Removes a partial file and what SQLite has beside it. */
export function removePartial(partial: string): void {
  for (const left of [partial, `${partial}-journal`, `${partial}-wal`, `${partial}-shm`])
    rmSync(left, { force: true });
}
