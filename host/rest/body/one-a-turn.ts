import { AsyncResource } from 'node:async_hooks';

/** Does something in its turn. */
type InTurn = (work: () => void) => void;

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

/** Does something that takes several turns when what came before it is done. */
export type OneByOne = <T>(work: () => Promise<T>) => Promise<T>;

/** The same of what waits for the storage meanwhile: one is begun in the turn after the one before it was done. */
export function oneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  const turn = () => new Promise<void>((go) => void setImmediate(go));
  return (work) => {
    const done = last.then(work);
    last = done.then(turn, turn);
    return done;
  };
}

/** Entries of a list. */
const few = 100;

/** Whether a call asks for so much that others should not wait for many of its kind. */
export const asksForMany = ({ limit, page_size }: Readonly<Record<string, unknown>>): boolean => Number(limit ?? page_size ?? 0) > few;
