import { dirname, isAbsolute, resolve } from 'node:path';
import type { LoadedConfiguration } from '../../../../../config/load.ts';

/** What a server that was started with `--reload` says to the process that watches over it. */
export interface Uses {
  /** The configuration file; absent where there is none. */
  readonly file?: string;
  /** Plugins that are files or folders of their own. */
  readonly plugins: readonly string[];
}

/** Says which files, beside the sources, make a new start necessary. Nothing without a supervisor. */
export function tellSupervisor({ file, configuration }: LoadedConfiguration): void {
  const from = file === undefined ? process.cwd() : dirname(file);
  const plugins = configuration.plugins.filter((name) => name.startsWith('.') || isAbsolute(name)).map((name) => resolve(from, name));
  process.send?.({ plugins, ...(file === undefined ? {} : { file }) } satisfies Uses);
}

/** A supervisor ends the server by closing the channel, which happens also when it dies. */
export function followSupervisor(end: () => void): void {
  if (!process.send) return;
  if (process.connected) process.once('disconnect', end);
  else end();
}
