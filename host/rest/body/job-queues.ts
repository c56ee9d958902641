import { AsyncResource } from 'node:async_hooks';

/** Runs a synchronous job in its own iteration of the event loop. */
type TickQueue = (work: () => void) => void;

/**
 * Creates a queue that runs expensive synchronous jobs one per iteration of the event loop, so that other calls are
 * served in between. Runs the first job at once. Each job keeps the async context of the call that queued it.
 */
export function tickQueue(): TickQueue {
  const waiting: (() => void)[] = [];
  let busy = false;

  function next(): void {
    const work = waiting.shift();
    if (!work) {
      busy = false;
      return;
    }
    setImmediate(next);
    work();
  }

  return (work) => {
    if (busy) {
      waiting.push(AsyncResource.bind(work));
      return;
    }
    busy = true;
    setImmediate(next);
    work();
  };
}

/** Runs an asynchronous job after all jobs that were queued before it. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a queue that runs asynchronous jobs one after another. A job begins in the iteration of the event loop after
 * the previous job ended.
 */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  const nextIteration = () => new Promise<void>((go) => void setImmediate(go));
  return (work) => {
    const done = last.then(work);
    last = done.then(nextIteration, nextIteration);
    return done;
  };
}

/** Number of list entries above which a call counts as expensive. */
const manyEntries = 100;

/** Whether a call returns so many entries that it belongs into the queue of expensive calls. */
export const asksForMany = ({ limit, page_size }: Readonly<Record<string, unknown>>): boolean =>
  Number(limit ?? page_size ?? 0) > manyEntries;
