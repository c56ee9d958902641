import { Worker } from 'node:worker_threads';
import type { Told } from './hostile-caller.ts';
import type { Book } from './book.ts';

/**
 * One hostile caller, in a thread of its own: making its calls takes long, and must not be counted as others' waiting.
 */
export async function runHostile(port: number, seed: number, book: Book, over: () => boolean): Promise<void> {
  const caller = new Worker(new URL('./hostile-caller.ts', import.meta.url), { workerData: { port, seed } });
  const ended = new Promise<void>(
    (resolve, reject) => void caller.once('error', reject).once('exit', () => resolve()),
  );
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- That is for windows: threads have no origin.
  const asking = setInterval(() => over() && caller.postMessage('end'), 100);
  caller.on('message', ({ ms, made, wrong }: Told) => {
    book.took('hostile', ms);
    if (made !== undefined) book.beside.add(made);
    book.wrong.push(...wrong);
  });
  await ended.finally(() => clearInterval(asking));
}
