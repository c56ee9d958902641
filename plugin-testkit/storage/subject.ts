import type { Plugin, StorageDriver } from '../../core/index.ts';
import type { Runner } from '../runner.ts';

/** A storage under test. */
export interface StorageSubject {
  /** `test` of node:test, ava or vitest. */
  readonly test: Runner;
  readonly plugin: () => Plugin;
  /** Which storage of the plugin. Default: its only one. */
  readonly type?: string;
  /** Names an empty place for a storage, e.g. a path in a new temporary directory. Called once for each check. */
  readonly place: () => string | Promise<string>;
  /** The configuration under `storage`, without `type`, for a place. JSON. */
  readonly options: (place: string) => Readonly<Record<string, unknown>>;
  /**
   * Sets the time of a storage that has a clock of its own, such as that of a database server, to epoch milliseconds.
   * The time then stands still, and every check runs with wrong clocks of the callers. Absent: the time of the
   * storage is that of the clock with which it is opened.
   */
  readonly setTime?: (place: string, ms: number) => Promise<void>;
  /**
   * Makes the storage in a place refuse for a moment, as when its server restarts or another process holds its lock,
   * and resolves when it serves again. For checks of commits that are refused, or whose outcome is unknown.
   */
  readonly interrupt?: (place: string) => Promise<void>;
  /**
   * The module whose default export is the plugin, for checks that need another process, e.g. that acknowledged data
   * outlives a kill. Processes are started with the arguments of this Node process (`process.execArgv`).
   */
  readonly module?: string | URL;
  /** `false`: stored data ends with its store object. Default `true`. */
  readonly durable?: boolean;
}

/** The storage that a subject names. Throws when its plugin has none of that type. */
export function driverOf({ plugin, type }: Pick<StorageSubject, 'plugin' | 'type'>): StorageDriver<any> {
  const { name, storages = [] } = plugin();
  const named = type === undefined ? storages : storages.filter((each) => each.type === type);
  const [found] = named;
  if (found && named.length === 1) return found;
  const brought = storages.map((each) => `'${each.type}'`).join(', ') || 'none';
  throw new Error(
    `Plugin '${name}' contributes ${found ? 'several storages: name one with `type`' : `no storage '${type ?? ''}'`}; it has ${brought}.`,
  );
}
