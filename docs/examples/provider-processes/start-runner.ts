import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ProviderFault } from 'muster';
import { fileOf, stateOf, type Order } from './places.ts';
import type { Task } from './runner.ts';

const runner = fileURLToPath(new URL(`./runner.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));

/**
 * Starts a runner for a slot, and waits until the runner became the command or ended. The runner does not depend on
 * the broker.
 */
export async function startRunner(
  order: Order,
  n: number,
  task: Omit<Task, 'slot' | 'released'>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const output = openSync(fileOf(order, n, 'log'), 'a', 0o600);
  const options = ['--disable-warning=ExperimentalWarning', runner];
  const cache = process.env['NODE_COMPILE_CACHE'];
  const env = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
  // A process group of its own: it does not end with the broker, and can be ended with all processes that it starts.
  const child = spawn(process.execPath, options, { detached: true, stdio: ['ignore', output, output, 'pipe'], env });
  closeSync(output);
  child.unref();
  const pipe = child.stdio[3] as Duplex;
  pipe
    .on('error', () => undefined)
    .end(JSON.stringify({ ...task, slot: fileOf(order, n, 'slot'), released: fileOf(order, n, 'released') }));
  pipe.resume();
  try {
    await Promise.race([
      once(pipe, 'close', { signal }),
      once(child, 'error', { signal }).then(([error]) => Promise.reject(error)),
    ]);
  } catch (cause) {
    signal.throwIfAborted();
    throw new ProviderFault('unavailable', `A process could not be started: ${(cause as Error).message}`, { cause });
  } finally {
    // A runner without its complete input ends.
    pipe.destroy();
  }
  if (stateOf(order, n).is === 'coming')
    throw new ProviderFault(
      'unavailable',
      `A process ended before it became the command; see ${fileOf(order, n, 'log')}.`,
    );
}
