import { globSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WatchedFiles } from './start/supervised.ts';

const source = /\.(ts|mts|js|mjs|cjs|json)$/;
const configurationName = /^(muster\.config\.\w+|\.musterrc|package\.json)$/;

/** What is watched for a server under `--reload`. */
export interface WatchedChanges {
  /**
   * Watches the files that a server has read. `since`: the time in milliseconds before it began to read them. What was
   * changed after that, before it was watched, is told at once.
   */
  follow(files: WatchedFiles, since: number): void;
}

/** Calls `changed` with each file of muster, and of the configuration that the options name, that changes. */
export function watchChanges(options: readonly string[], changed: (file: string) => void): WatchedChanges {
  const named = namedIn(options);
  for (const folder of sources()) watchFolder(folder, true, (name) => source.test(name), changed);
  let files = watchFiles({ plugins: [], ...(named === undefined ? {} : { file: named }) }, changed);
  return {
    follow(read, since) {
      const before = files;
      files = watchFiles(read, changed);
      before[Symbol.dispose]();
      const now = Date.now();
      const newer = filesOf(read).find((file) => isWithin(modifiedAt(file), since, now));
      if (newer !== undefined) changed(newer);
    },
  };
}

function watchFiles({ file, plugins }: WatchedFiles, changed: (file: string) => void): Disposable {
  const stack = new DisposableStack();
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
  const watcher = watch(folder, { recursive }, (_, name) => {
    if (name !== null && isWatched(name)) changed(join(folder, name));
  }).on('error', () => watcher.close());
  return { [Symbol.dispose]: () => watcher.close() };
}

/** The files that a server has read, where it can be told which. */
function filesOf({ file, plugins }: WatchedFiles): readonly string[] {
  const ofPlugins = plugins.flatMap((plugin) =>
    isFolder(plugin)
      ? globSync('**/*', { cwd: plugin, exclude: ['**/node_modules'] })
          .filter(isOwnSource)
          .map((name) => join(plugin, name))
      : plugin,
  );
  return [...(file === undefined ? [] : [file]), ...ofPlugins];
}

const isOwnSource = (name: string): boolean => source.test(name) && !name.includes('node_modules');
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const modifiedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
/** A file of another computer may have a time that is still to come: it did not change meanwhile. */
const isWithin = (time: number, since: number, now: number): boolean => time > since && time <= now;

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
