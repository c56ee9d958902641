import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { HostileData, Told } from './hostile-caller.ts';
import type { Book } from './book.ts';

/**
 * One hostile caller, in a thread of its own: making its calls takes long, and must not be counted as others' waiting.
 * They are made before this returns; then it sends them until it is over.
 */
export async function openHostile(data: HostileData): Promise<(book: Book, over: () => boolean) => Promise<void>> {
  const caller = new Worker(new URL('./hostile-caller.ts', import.meta.url), { workerData: data });
  await once(caller, 'message');
  return async (book, over) => {
    const ended = once(caller, 'exit');
    caller.on('message', ({ ms, limited, made, wrong }: Told) => {
      book.took(limited ? 'hostile, limited' : 'hostile', ms);
      if (made !== undefined) book.beside.add(made);
      book.wrong.push(...wrong);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- That is for windows: threads have no origin.
    const say = (what: 'begin' | 'end'): void => caller.postMessage(what);
    say('begin');
    const asking = setInterval(() => over() && say('end'), 100);
    await ended.finally(() => clearInterval(asking));
  };
}
