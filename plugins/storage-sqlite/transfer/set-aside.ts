import { existsSync, linkSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { sync } from '../upkeep/partial-file.ts';

/** The name under which a file is kept that another one replaces. */
export const replacedName = (path: string): string =>
  `${path}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;

/** Gives a file a second name. It keeps its first one, so that there is a database at every moment. */
export function keepUnder(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch {
    // Some file systems do not support links.
    renameSync(path, name);
  }
}

/**
 * Moves a database that cannot be read away, with its log. The file goes first: a log without its file is refused by
 * brokers, and a repetition moves the rest.
 */
export function moveAside(path: string): void {
  const name = replacedName(path);
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${name}${end}`);
  sync(dirname(path));
}
