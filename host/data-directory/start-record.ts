import { join } from 'node:path';
import { readOwnFile, replaceOwnFile } from './own-file.ts';

/**
 * How the server of a data directory was started, so that a restart from any directory repeats it. Stored in
 * `server.json` while the server runs, and in `server.options.json` also afterwards. It contains no secret.
 */
export interface StartRecord {
  /** The configuration file. Null: there was no file. */
  readonly config: string | null;
  /** Whether the server ran on the sample configuration. */
  readonly samples: boolean;
  /** Provider instances that use the simulated cloud. */
  readonly simulated: readonly string[];
  /** Options of `muster server start` other than `--config`, in the form of the command line. */
  readonly options: readonly string[];
  /**
   * The working directory of the start. The search for a configuration, and relative paths in options and variables,
   * begin there.
   */
  readonly cwd: string;
  /** Environment variables of muster that set parts of the configuration, without secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of the further variables whose values are secret. */
  readonly secret_env: readonly string[];
  /** What keeps the server running. `service`: a service manager, which starts the server again by itself. */
  readonly run: 'background' | 'foreground' | 'service';
}

const fileOf = (dataDirectory: string): string => join(dataDirectory, 'server.options.json');

/**
 * Reads how the last server of a data directory was started; undefined when none was started, or another user wrote
 * the file.
 */
export function readLastStart(dataDirectory: string): StartRecord | undefined {
  try {
    const record = JSON.parse(readOwnFile(fileOf(dataDirectory)).text ?? '') as StartRecord;
    return Array.isArray(record.options) && typeof record.cwd === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}

/** In one step: a partly written file would look like a directory that no server ever used. */
export const writeLastStart = (dataDirectory: string, record: StartRecord): void =>
  replaceOwnFile(fileOf(dataDirectory), record);
