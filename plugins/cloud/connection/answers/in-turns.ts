import { setImmediate as turn } from 'node:timers/promises';

/** Takes a millisecond or two. */
const atOnce = 500;

/**
 * Does something with each item, with a turn of the event loop before, between and after each 500 where there are
 * more: what is done with thousands of machines must not keep others waiting.
 */
export async function eachInTurns<T>(items: Iterable<T>, act: (item: T) => void): Promise<void> {
  const all = [...items];
  const many = all.length > atOnce;
  for (const [index, item] of all.entries()) {
    if (many && index % atOnce === 0) await turn();
    act(item);
  }
  if (many) await turn();
}

/** Like `map`, in turns like `eachInTurns`. */
export async function mapInTurns<T, R>(items: Iterable<T>, make: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  await eachInTurns(items, (item) => made.push(make(item)));
  return made;
}

/**
 * For work that comes in pieces: to be told how many items a piece has, before it is done; gives a turn of the event
 * loop where that makes 500.
 */
export function turnsBetween(): (items: number) => Promise<void> {
  let done = 0;
  return async (items) => {
    done += items;
    if (done <= atOnce) return;
    done = 0;
    await turn();
  };
}
