import { AsyncResource } from 'node:async_hooks';

/** Does something in its turn. */
export type InTurn = (work: () => void) => void;

/**
 * Does what is dear one after another, each in a turn of the loop of its own: what else has come in the meantime is served in
 * between. The first of them is done at once; each belongs to the call that it was handed over in.
 */
export function oneATurn(): InTurn {
  const waiting: (() => void)[] = [];
  let taken = false;

  function next(): void {
    const work = waiting.shift();
    if (!work) {
      taken = false;
      return;
    }
    setImmediate(next);
    work();
  }

  return (work) => {
    if (taken) {
      waiting.push(AsyncResource.bind(work));
      return;
    }
    taken = true;
    setImmediate(next);
    work();
  };
}

/** Entries of a list. */
const few = 100;

/** Whether a call asks for so much that others should not wait for many of its kind. */
export const asksForMany = ({ limit, page_size }: Readonly<Record<string, unknown>>): boolean => Number(limit ?? page_size ?? 0) > few;
