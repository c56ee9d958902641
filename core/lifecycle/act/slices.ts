import type { MachineReport } from '../../provider.ts';
import type { Draft } from '../case.ts';
import type { Absorb } from './tools.ts';

/** Reports that are taken in before other requests get a turn: ten thousand at once would hold the thread up for long. */
const reportsAtOnce = 250;

/** Takes reports in slice by slice, and in the end, together with the last slice, what is said of the attempt: never before its machines. */
export function inSlices(
  reports: readonly MachineReport[],
  takeIn: (draft: Draft, slice: readonly MachineReport[]) => void,
  inTheEnd: (draft: Draft) => void,
): readonly Absorb[] {
  const early: Absorb[] = [];
  let from = 0;
  for (; reports.length - from > reportsAtOnce; from += reportsAtOnce) {
    const slice = reports.slice(from, from + reportsAtOnce);
    early.push((draft) => takeIn(draft, slice));
  }
  const last = reports.slice(from);
  return [
    ...early,
    (draft) => {
      takeIn(draft, last);
      inTheEnd(draft);
    },
  ];
}
