import { dirname, isAbsolute, resolve } from 'node:path';
import type { LoadedConfiguration } from '../../../../../config/load.ts';

/** The message of a server under `--reload` to its supervisor: the files to watch. */
export interface WatchedFiles {
  /** The configuration file. Absent: there is none. */
  readonly file?: string;
  /** Plugins that are paths. */
  readonly plugins: readonly string[];
}

/** Reports to the supervisor which files, beside the sources, require a restart. Does nothing without a supervisor. */
export function reportWatchedFiles({ file, configuration }: LoadedConfiguration): void {
  const from = file === undefined ? process.cwd() : dirname(file);
  const plugins = configuration.plugins
    .filter((name) => name.startsWith('.') || isAbsolute(name))
    .map((name) => resolve(from, name));
  const files: WatchedFiles = { plugins, ...(file === undefined ? {} : { file }) };
  // A supervisor that is gone closed the channel, which ends this process once it has started.
  process.send?.(files, undefined, {}, () => {});
}

/** Calls `end` when the supervisor closes the channel, which also happens when it dies. */
export function followSupervisor(end: () => void): void {
  if (!process.send) return;
  if (process.connected) process.once('disconnect', end);
  else end();
}
