import type { StateChange } from '../state/request-state.ts';
import type { Apply } from './step-context.ts';

/** The most machines that are applied before other requests continue: ten thousand at once would block the thread. */
const machinesAtOnce = 150;

/**
 * Applies items in slices. `last` is applied together with the last slice, so that the state of an attempt is never
 * stored before its machines.
 */
export function inSlices<T>(
  items: readonly T[],
  applySlice: (change: StateChange, slice: readonly T[]) => void,
  last: (change: StateChange) => void,
): readonly Apply[] {
  const early: Apply[] = [];
  let from = 0;
  for (; items.length - from > machinesAtOnce; from += machinesAtOnce) {
    const slice = items.slice(from, from + machinesAtOnce);
    early.push((change) => applySlice(change, slice));
  }
  const remaining = items.slice(from);
  return [
    ...early,
    (change) => {
      applySlice(change, remaining);
      last(change);
    },
  ];
}
