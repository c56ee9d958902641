import { setImmediate as turn } from 'node:timers/promises';

const itemsPerTurn = 500;

/**
 * Calls `act` with each item. With more than 500 items it yields to the event loop before, between and after each 500,
 * because work on thousands of machines must not block other work.
 */
export async function eachInTurns<T>(items: Iterable<T>, act: (item: T) => void): Promise<void> {
  const all = [...items];
  const many = all.length > itemsPerTurn;
  for (const [index, item] of all.entries()) {
    if (many && index % itemsPerTurn === 0) await turn();
    act(item);
  }
  if (many) await turn();
}

/** Like `map`, with the turns of `eachInTurns`. */
export async function mapInTurns<T, R>(items: Iterable<T>, make: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  await eachInTurns(items, (item) => made.push(make(item)));
  return made;
}

/**
 * Returns a function for work in pieces. Called with the number of items before each piece, it yields to the event
 * loop each time that more than 500 items have accumulated.
 */
export function turnsBetween(): (items: number) => Promise<void> {
  let done = 0;
  return async (items) => {
    done += items;
    if (done <= itemsPerTurn) return;
    done = 0;
    await turn();
  };
}
