import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrokerError } from '../../core/contract/errors.ts';

/** A file to write, by its name in the directory. */
export interface NewFile {
  readonly name: string;
  readonly text: string;
}

/** Throws ALREADY_EXISTS when one of the files exists. */
export function refuseExisting(directory: string, names: readonly string[]): void {
  const there = names.filter((name) => existsSync(join(directory, name)));
  if (there.length === 0) return;
  const files = there.map((name) => join(directory, name)).join(' and ');
  throw new BrokerError(
    'ALREADY_EXISTS',
    `${files} exist${there.length === 1 ? 's' : ''} already. Choose another directory with --directory, or replace what is there with --force.`,
  );
}

/**
 * Writes files, all or none: each appears with its whole content. Without `force` a file that appeared meanwhile is not
 * replaced, and those that were written before are removed again. The last file is the one that makes the others
 * count.
 */
export async function writeAll(directory: string, files: readonly NewFile[], force: boolean): Promise<void> {
  const drafts = files.map(({ name, text }) => ({
    draft: join(directory, `.${name}.${randomUUID()}`),
    file: join(directory, name),
    name,
    text,
  }));
  const written: string[] = [];
  try {
    for (const { draft, text } of drafts) await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    for (const { draft, file, name } of drafts) {
      if (force) await rename(draft, file);
      else {
        await link(draft, file).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') refuseExisting(directory, [name]);
          throw error;
        });
        written.push(file);
      }
    }
  } catch (error) {
    await Promise.all(written.map((file) => rm(file, { force: true })));
    throw error;
  } finally {
    await Promise.all(drafts.map(({ draft }) => rm(draft, { force: true })));
  }
}
