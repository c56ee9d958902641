import type { MachineRecord } from '../../model/machine.ts';
import type { Query } from '../../contract/storage.ts';

/** The order in which every interface lists machines: by creation, then by id. */
export const byCreation = [
  ['created_at', 'asc'],
  ['machine_id', 'asc'],
] as const satisfies Query<'machine'>['order'];

/** Sorts machines in memory in the same order. */
export const inOrder = (machines: Iterable<MachineRecord>): readonly MachineRecord[] =>
  [...machines].toSorted(
    (a, b) => a.created_at - b.created_at || (a.machine_id < b.machine_id ? -1 : a.machine_id > b.machine_id ? 1 : 0),
  );
