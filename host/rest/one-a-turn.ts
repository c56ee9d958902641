import { AsyncResource } from 'node:async_hooks';

/**
 * Does what is dear one after another, each in a turn of the loop of its own: what else has come in the meantime is served in
 * between. The first of them is done at once; each belongs to the call that it was handed over in.
 */
export function oneATurn(): (work: () => void) => void {
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
