import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnFile } from './own-file.ts';

/**
 * How the server of a data directory was started, so that it can be started like that again from anywhere: in `server.json` while it runs, and in
 * `server.options.json` also afterwards. It has no secrets.
 */
export interface StartRecord {
  /** The configuration file. Null: there was none. */
  readonly config: string | null;
  /** Whether it ran on the samples that stand for a configuration where there is none. */
  readonly samples: boolean;
  /** Provider instances whose machines are the simulated cloud's. */
  readonly simulated: readonly string[];
  /** Options of `muster server start` beside `--config`, as the command line takes them. */
  readonly options: readonly string[];
  /** Where it was started: the search for a configuration, and paths in options and variables, begin there. */
  readonly cwd: string;
  /** Variables of ours that said something of its configuration. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of further ones, whose values are secret. */
  readonly secret_env: readonly string[];
  /** Who keeps it running. `service`: a service manager, which would start it anew by itself. */
  readonly run: 'background' | 'foreground' | 'service';
}

const fileOf = (dataDirectory: string): string => join(dataDirectory, 'server.options.json');

/** How the last server of a data directory was started; undefined where none ever was, or another user wrote it. */
export function readLastStart(dataDirectory: string): StartRecord | undefined {
  try {
    const record = JSON.parse(readOwnFile(fileOf(dataDirectory)).text ?? '') as StartRecord;
    return Array.isArray(record.options) && typeof record.cwd === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}

/** In one step: what is half written would let the directory look like nobody's. */
export function writeLastStart(dataDirectory: string, record: StartRecord): void {
  const fresh = `${fileOf(dataDirectory)}.${randomUUID()}`;
  writeFileSync(fresh, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, fileOf(dataDirectory));
}
