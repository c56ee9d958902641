import { fork, type ChildProcess } from 'node:child_process';
import { statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tryStart } from '../../../client/background-server.ts';
import type { WatchedFiles } from './start/supervised.ts';

/** Milliseconds to wait for further changes: editors write a file in several steps. */
const pause = 200;
/** Milliseconds to wait for the child to end: longer than a server needs. */
const stopMs = 35_000;

const source = /\.(ts|mts|js|mjs|cjs|json)$/;
const configurationName = /^(muster\.config\.\w+|\.musterrc|package\.json)$/;

/**
 * `muster server start --reload`: runs the server as a child process and restarts it when one of its files changes.
 * The running server continues when the new state could not start.
 */
export function startWithReload(argv: readonly string[]): void {
  const [, main = '', ...args] = argv;
  // The options without the words `server start`.
  const options = args.filter((arg) => arg !== '--reload').slice(2);
  let child: ChildProcess | undefined;
  let starting: NodeJS.Timeout | undefined;
  let queue = Promise.resolve();
  let ending = false;
  let stopping = false;
  let watching: Disposable = watchAll(undefined);

  function start(): void {
    child = fork(main, ['server', 'start', ...options]);
    child.once('message', (files: WatchedFiles) => {
      watching[Symbol.dispose]();
      watching = watchAll(files);
    });
    child.once('exit', (code, signal) => {
      child = undefined;
      if (stopping) process.exit(code ?? 1);
      if (!ending) print(`muster ended with ${signal ?? code}; it restarts when a file changes.`);
    });
  }

  function changed(file: string): void {
    if (stopping) return;
    clearTimeout(starting);
    starting = setTimeout(() => {
      starting = undefined;
      queue = queue.then(() => restart(file));
    }, pause);
  }

  async function restart(file: string): Promise<void> {
    if (child) {
      const { code, output } = await tryStart(options);
      if (stopping) return;
      if (code !== 0)
        return print(
          `${output}${file} changed; muster continues unchanged, since it could not start with the change.`,
        );
    }
    print(`${file} changed; muster restarts.`);
    ending = true;
    await end(child);
    ending = false;
    if (!stopping) start();
  }

  function watchAll(files: WatchedFiles | undefined): Disposable {
    const stack = new DisposableStack();
    const watchFolder = (folder: string, recursive: boolean, names: (name: string) => boolean) => {
      const watcher = watch(folder, { recursive }, (_, name) => {
        if (name !== null && names(name)) changed(join(folder, name));
      }).on('error', () => watcher.close());
      stack.defer(() => watcher.close());
    };
    for (const folder of sources()) watchFolder(folder, true, (name) => source.test(name));
    const named = files?.file ?? namedIn(args);
    if (named === undefined) watchFolder(process.cwd(), false, (name) => configurationName.test(name));
    else watchFolder(dirname(resolve(named)), false, (name) => name === basename(named));
    for (const plugin of files?.plugins ?? []) {
      const isFolder = statSync(plugin, { throwIfNoEntry: false })?.isDirectory() ?? false;
      watchFolder(
        isFolder ? plugin : dirname(plugin),
        isFolder,
        (name) => source.test(name) && !name.includes('node_modules'),
      );
    }
    return stack;
  }

  function stop(): void {
    stopping = true;
    if (!child) process.exit(0);
    void end(child);
  }

  // Ctrl-C reaches the child directly, and a second signal would end it at once: so the child is stopped by closing
  // its channel.
  process.on('SIGINT', stop).on('SIGTERM', stop);
  start();
}

/** Stops a child gracefully; kills it after `stopMs`. */
async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  if (child.connected) child.disconnect();
  const timeout = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await ended;
  clearTimeout(timeout);
}

/** The directories of muster's own code, as sources or as a build. */
function sources(): readonly string[] {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  return ['core', 'config', 'host', 'plugins'].map((folder) => join(root, folder));
}

function namedIn(args: readonly string[]): string | undefined {
  const index = args.indexOf('--config');
  return index < 0 ? args.find((arg) => arg.startsWith('--config='))?.slice('--config='.length) : args[index + 1];
}

const print = (text: string): void => void process.stderr.write(`${text}\n`);
