import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { constants, copyFile, link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrokerError } from '../../core/contract/errors.ts';

/** A file to write, by its name in the directory. */
export interface NewFile {
  readonly name: string;
  readonly text: string;
}

/** Throws ALREADY_EXISTS when one of the files exists, also as a link that leads nowhere. */
export function refuseExisting(directory: string, names: readonly string[]): void {
  const there = names.filter((name) => isThere(join(directory, name)));
  if (there.length === 0) return;
  const files = there.map((name) => join(directory, name)).join(' and ');
  throw new BrokerError(
    'ALREADY_EXISTS',
    `${files} exist${there.length === 1 ? 's' : ''} already. Choose another directory with --directory, or replace what is there with --force.`,
  );
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Its directory is none, or cannot be read; writing says so.
    return false;
  }
}

interface Draft {
  readonly name: string;
  readonly text: string;
  readonly file: string;
  /** Has the new content until it is put into place. */
  readonly draft: string;
  /** A further name of what the file replaces, until all files are in place. */
  readonly former: string;
}

/**
 * Writes files into a directory, which is created when it does not exist, all or none: each appears with its whole
 * content. Without `force` a file that appeared meanwhile is not replaced. After a failure what was there before is
 * there again. The last file is the one that makes the others count. Throws ALREADY_EXISTS, and INVALID_REQUEST for a
 * directory that cannot be written.
 */
export async function writeAll(directory: string, files: readonly NewFile[], force: boolean): Promise<void> {
  const drafts = files.map(({ name, text }): Draft => {
    const own = join(directory, `.${name}.${randomUUID()}`);
    return { name, text, file: join(directory, name), draft: own, former: `${own}.former` };
  });
  const written: Draft[] = [];
  try {
    await mkdir(directory, { recursive: true });
    for (const { draft, text } of drafts) await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    for (const each of drafts) {
      if (force) await replace(each);
      else await create(each, directory);
      written.push(each);
    }
  } catch (error) {
    for (const { file, former } of written) await (isThere(former) ? rename(former, file) : rm(file));
    throw isOfFiles(error) ? cannotWrite(directory, error) : error;
  } finally {
    const left = drafts.flatMap(({ draft, former }) => [draft, former]).filter(isThere);
    await Promise.all(left.map((file) => rm(file, { force: true })));
  }
}

/** Replaces what is there, also a link, but no directory. */
async function replace({ draft, file, former }: Draft): Promise<void> {
  const present = lstatSync(file, { throwIfNoEntry: false });
  if (present?.isDirectory())
    throw new BrokerError('ALREADY_EXISTS', `${file} is a directory, which --force does not replace.`);
  if (present) await secondName(file, former);
  await rename(draft, file);
}

async function create({ draft, file, name }: Draft, directory: string): Promise<void> {
  try {
    await secondName(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') refuseExisting(directory, [name]);
    throw error;
  }
}

/** Gives a file a further name, which must be free. Where the file system has no such links, the name gets a copy. */
const secondName = (file: string, name: string): Promise<void> =>
  link(file, name).catch((error: NodeJS.ErrnoException) => {
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(error.code ?? '')) throw error;
    return copyFile(file, name, constants.COPYFILE_EXCL);
  });

const isOfFiles = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;

const cannotWrite = (directory: string, cause: NodeJS.ErrnoException): BrokerError =>
  new BrokerError(
    'INVALID_REQUEST',
    `Nothing was written: ${directory} cannot be written (${cause.code}). Choose another directory with --directory.`,
    {},
    { cause },
  );
