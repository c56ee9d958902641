import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the cloud of a provider instance shall do: it stands in files of the directory of the instance. */
export const staging = {
  /** From now on there are no more than so many machines. Undefined: as many as configured. */
  capacity(directory: string, most: number | undefined): void {
    if (most === undefined) rmSync(mostFile(directory), { force: true });
    else put(directory, mostFile(directory), String(most));
  },
  /** The next observations of this machine say that it is taken back at this time (ISO 8601). */
  reclaim: (directory: string, machine_id: string, at: string): void =>
    put(directory, reclaimFile(directory, machine_id), at),
};

/** What `staging` demands of the instance of a directory. */
export const staged = {
  most(directory: string): number | undefined {
    const text = textIn(mostFile(directory));
    return text === undefined ? undefined : Number(text);
  },
  reclaimAt: (directory: string, machine_id: string): string | undefined => textIn(reclaimFile(directory, machine_id)),
};

const mostFile = (directory: string): string => join(directory, 'most');
const reclaimFile = (directory: string, machine_id: string): string => join(directory, `reclaim-${machine_id}`);

function put(directory: string, file: string, text: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
