import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CheckResult } from '../../../core/contract/provider/provider-check.ts';
import type { HostCheck } from '../report.ts';

const megabyte = 1_000_000;
const leastBytes = 100 * megabyte;
const fewBytes = 1_000 * megabyte;

/** File systems over a network, by their number in statfs(2): their locks are not reliable. */
const remote: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
]);

/** What is known of the file system of a directory. */
export interface FileSystem {
  readonly type: number;
  readonly free_bytes: number;
}

/** Whether the broker can keep its state in the data directory. */
export const dataDirectoryCheck: HostCheck<{
  readonly data_directory: string;
  /** Default: that of the operating system. */
  fileSystemOf?(directory: string): FileSystem;
}> = {
  name: 'data-directory',
  why: 'The broker stores each request in its data directory before it answers.',
  remedy: 'Correct the owner, the permissions or the place of the data directory (MUSTER_DATA_DIR).',
  run({ data_directory, fileSystemOf = readFileSystem }) {
    const there = nearest(data_directory);
    const results: CheckResult[] = [];
    try {
      if (!statSync(there).isDirectory())
        return [{ level: 'error', message: `${there} is no directory, so that ${data_directory} cannot be used.` }];
      accessSync(there, constants.W_OK | constants.X_OK);
      results.push(...ownerResults(data_directory));
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      return [{ level: 'error', message: `${there} cannot be written (${code}).` }];
    }
    const { type, free_bytes } = fileSystemOf(there);
    const name = remote.get(type);
    if (name !== undefined)
      results.push({
        level: 'warning',
        message: `${there} is on ${name}, whose locks SQLite cannot rely on.`,
        remedy: 'Set MUSTER_DATA_DIR to a local disk, or keep the state in PostgreSQL.',
      });
    if (free_bytes < fewBytes)
      results.push({
        level: free_bytes < leastBytes ? 'error' : 'warning',
        message: `${there} has ${Math.floor(free_bytes / megabyte)} MB of free space.`,
        remedy: 'Free some space, or set MUSTER_DATA_DIR to another disk.',
      });
    if (results.length > 0) return results;
    const made = there === data_directory ? '' : ' will be created; it';
    return [
      {
        level: 'ok',
        message: `${data_directory}${made} can be written, ${Math.floor(free_bytes / megabyte)} MB are free.`,
      },
    ];
  },
};

/** The directory, or the nearest one above it that exists. */
function nearest(directory: string): string {
  return existsSync(directory) || dirname(directory) === directory ? directory : nearest(dirname(directory));
}

const readFileSystem = (directory: string): FileSystem => {
  const { type, bavail, bsize } = statfsSync(directory);
  return { type, free_bytes: bavail * bsize };
};

/** Other users must not be able to replace the store. */
function ownerResults(data_directory: string): readonly CheckResult[] {
  if (!existsSync(data_directory)) return [];
  const { mode, uid } = statSync(data_directory);
  const me = process.getuid?.() ?? uid;
  if (uid !== me && uid !== 0)
    return [
      {
        level: 'warning',
        message: `${data_directory} belongs to the user with id ${uid}, who can replace the store.`,
      },
    ];
  if ((mode & 0o022) === 0) return [];
  const remedy = `chmod go-w ${data_directory}`;
  return [{ level: 'warning', message: `${data_directory} can be written by other users.`, remedy }];
}
