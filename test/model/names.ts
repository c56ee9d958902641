import type { AttemptRecord, MachineRecord, MachineReport, LaunchOrder, RequestRecord } from '../../core/index.ts';
import type { Cloud } from './cloud.ts';

/** How machines learn the names of their request: later, or at their launch. Absent: requests have no names. */
export type Naming = 'later' | 'told';

/** The names of a request for so many machines. */
export const namesFor = (machine_count: number): string[] =>
  Array.from({ length: machine_count }, (_, index) => `n-${index + 1}`);

/** The reports of a provider that tells each machine its name at the launch. One that a fleet adds later has none. */
export function toldNames(
  cloud: Cloud,
  { token, names = [] }: Pick<LaunchOrder, 'token' | 'names'>,
  reports: readonly MachineReport[],
): MachineReport[] {
  const started = [...cloud.machines.values()].filter((machine) => machine.token === token).map(({ id }) => id);
  return reports.map((report) => {
    const assigned_name = names[started.indexOf(report.machine_id)];
    return assigned_name === undefined ? report : { ...report, assigned_name };
  });
}

const hasPlace = ({ replaced_by, replaces, took_over_at }: MachineRecord): boolean =>
  replaced_by === undefined && (replaces === undefined || took_over_at !== undefined);
const ended = new Set(['shutting-down', 'stopping', 'stopped', 'terminated', 'failed']);
const stays = (row: MachineRecord): boolean =>
  row.gone_at === undefined && row.going === undefined && !ended.has(row.status) && hasPlace(row);

/** What is wrong with the name in a row of a machine; undefined: nothing. `others`: all rows of its request. */
export function wrongName(
  row: MachineRecord,
  before: MachineRecord | undefined,
  { names }: Pick<RequestRecord, 'names'>,
  others: readonly MachineRecord[],
): string | undefined {
  const { machine_id, assigned_name: name } = row;
  if (before?.assigned_name !== undefined && before.assigned_name !== name)
    return `${machine_id} was '${before.assigned_name}' and is '${name}'`;
  if (names === undefined) return name === undefined ? undefined : `${machine_id} is '${name}', and nobody gave names`;
  if (name !== undefined && !names.includes(name))
    return `${machine_id} is '${name}', which is no name of its request`;
  if (!stays(row)) return undefined;
  if (name === undefined) return `${machine_id} stays, and has no name`;
  const twin = others.find((other) => other !== row && other.assigned_name === name && stays(other));
  return twin ? `${machine_id} and ${twin.machine_id} are both '${name}'` : undefined;
}

/** What is wrong with the names of a new order; undefined: nothing. */
export function wrongOrder(
  { attempt, order }: AttemptRecord,
  { names }: Pick<RequestRecord, 'names'>,
  rows: readonly MachineRecord[],
): string | undefined {
  if (names === undefined) return undefined;
  const ordered = order.names ?? [];
  if (new Set(ordered).size !== order.machine_count || ordered.length !== order.machine_count)
    return `attempt ${attempt} has the names ${ordered.join(', ')} for ${order.machine_count} machines`;
  const unreleased = rows.find(
    (row) =>
      ordered.includes(row.assigned_name ?? '') &&
      row.gone_at === undefined &&
      row.released_at === undefined &&
      row.status !== 'shutting-down',
  );
  return unreleased
    ? `attempt ${attempt} orders '${unreleased.assigned_name}', which ${unreleased.machine_id} still has`
    : undefined;
}
