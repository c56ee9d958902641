import { globSync, statSync, watch, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WatchedFiles } from './start/supervised.ts';

const source = /\.(ts|mts|js|mjs|cjs|json)$/;
const configurationName = /^(muster\.config\.\w+|\.musterrc|package\.json)$/;

/** What is watched for a server under `--reload`. */
export interface WatchedChanges {
  /**
   * Watches the files that a server has read. `since`: the time in milliseconds before it began to read them. What was
   * changed after that, and was not watched yet, is told at once.
   */
  follow(files: WatchedFiles, since: number): void;
}

/** Calls `changed` with each file of muster, and of the configuration that the options name, that changes. */
export function watchChanges(options: readonly string[], changed: (file: string) => void): WatchedChanges {
  const named = namedIn(options);
  let known: WatchedFiles = { plugins: [], ...(named === undefined ? {} : { file: resolve(named) }) };
  let watched = watchAll(known, changed);
  return {
    follow(files, since) {
      const before = watched;
      // Again, since a folder may have been replaced by another one.
      watched = watchAll(files, changed);
      before[Symbol.dispose]();
      const now = Date.now();
      const newer = filesOf(files, known).find((file) => isWithin(changedAt(file), since, now));
      known = files;
      if (newer !== undefined) changed(newer);
    },
  };
}

function watchAll({ file, plugins }: WatchedFiles, changed: (file: string) => void): Disposable {
  const stack = new DisposableStack();
  for (const folder of sources()) stack.use(watchFolder(folder, true, (name) => source.test(name), changed));
  stack.use(
    file === undefined
      ? watchFolder(process.cwd(), false, (name) => configurationName.test(name), changed)
      : watchFolder(dirname(resolve(file)), false, (name) => name === basename(file), changed),
  );
  for (const plugin of plugins)
    stack.use(
      isFolder(plugin)
        ? watchFolder(plugin, true, isOwnSource, changed)
        : watchFolder(dirname(plugin), false, isOwnSource, changed),
    );
  return stack;
}

function watchFolder(
  folder: string,
  recursive: boolean,
  isWatched: (name: string) => boolean,
  changed: (file: string) => void,
): Disposable {
  // A folder that is not there, or may not be read, is not watched.
  if (!isFolder(folder)) return { [Symbol.dispose]() {} };
  const watcher = watch(folder, { recursive }, (_, name) => {
    if (name !== null && isWatched(name)) changed(join(folder, name));
  }).on('error', () => watcher.close());
  return { [Symbol.dispose]: () => watcher.close() };
}

/** What belongs to the files that a server has read, without what was `known`, and watched, before. */
function filesOf({ file, plugins }: WatchedFiles, known: WatchedFiles): readonly string[] {
  const unknown = plugins.filter((plugin) => !known.plugins.includes(plugin));
  const ofPlugins = unknown.flatMap((plugin) => {
    const [folder, pattern] = isFolder(plugin) ? [plugin, '**/*'] : [dirname(plugin), '*'];
    const names = globSync(pattern, { cwd: folder, exclude: ['**/node_modules'] });
    return names.filter(isOwnSource).map((name) => join(folder, name));
  });
  return [...(file === undefined || file === known.file ? [] : [file]), ...ofPlugins];
}

const isOwnSource = (name: string): boolean => source.test(name) && !name.includes('node_modules');
const isFolder = (path: string): boolean => factsOf(path)?.isDirectory() ?? false;
/** When the content, the name or the rights changed: a file that is moved here keeps the time of its content. */
const changedAt = (path: string): number => factsOf(path)?.ctimeMs ?? 0;
/** A file of another computer may have a time that is still to come: it did not change meanwhile. */
const isWithin = (time: number, since: number, now: number): boolean => time > since && time <= now;

/** Nothing for what is not there, may not be looked at, or is a link to itself. */
function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The directories of muster's own code, as sources or as a build. */
function sources(): readonly string[] {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  return ['core', 'config', 'host', 'plugins'].map((folder) => join(root, folder));
}

function namedIn(options: readonly string[]): string | undefined {
  const index = options.indexOf('--config');
  return index < 0
    ? options.find((option) => option.startsWith('--config='))?.slice('--config='.length)
    : options[index + 1];
}
