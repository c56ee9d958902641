import type { StateChange } from '../state/request-state.ts';
import type { Apply } from './tools.ts';

/** What is said of so many machines is taken in before other requests get a turn: ten thousand at once would hold the thread up for long. */
const machinesAtOnce = 250;

/** Takes in slice by slice what is said of machines, and in the end, together with the last slice, what is said of the attempt: never before its machines. */
export function inSlices<T>(
  said: readonly T[],
  takeIn: (change: StateChange, slice: readonly T[]) => void,
  inTheEnd: (change: StateChange) => void,
): readonly Apply[] {
  const early: Apply[] = [];
  let from = 0;
  for (; said.length - from > machinesAtOnce; from += machinesAtOnce) {
    const slice = said.slice(from, from + machinesAtOnce);
    early.push((change) => takeIn(change, slice));
  }
  const last = said.slice(from);
  return [
    ...early,
    (change) => {
      takeIn(change, last);
      inTheEnd(change);
    },
  ];
}
