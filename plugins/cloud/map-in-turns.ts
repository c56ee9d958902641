import { setImmediate as turn } from 'node:timers/promises';

/** Takes a millisecond or two. */
const atOnce = 500;

/** Like `map`, with a turn of the event loop after each 500 items: what is made of thousands of machines must not keep others waiting. */
export async function mapInTurns<T, R>(items: readonly T[], make: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % atOnce === 0) await turn();
    made.push(make(item));
  }
  return made;
}
