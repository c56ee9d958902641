import { fork, type ChildProcess } from 'node:child_process';
import { tryStart } from '../../../client/background-server.ts';
import type { WatchedFiles } from './start/supervised.ts';
import { watchChanges } from './watch-changes.ts';

/** Milliseconds to wait for further changes: editors write a file in several steps. */
const pause = 200;
/** Milliseconds to wait for the child to end: longer than a server needs. */
const stopMs = 35_000;

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
  const watched = watchChanges(args, changed);

  function start(): void {
    const since = Date.now();
    child = fork(main, ['server', 'start', ...options]);
    child.once('message', (files: WatchedFiles) => watched.follow(files, since));
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

const print = (text: string): void => void process.stderr.write(`${text}\n`);
