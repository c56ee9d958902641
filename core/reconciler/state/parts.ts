import { chunks } from '../../collections/chunks.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineKey, MachineRecord } from '../../model/machine.ts';
import type { EventType } from '../../journal/event-types.ts';
import type { EventRecord } from '../../model/records.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { SignalRecord } from '../../model/signal.ts';
import { endOfDays, summed, usageTopic, type UsageRow } from '../../model/usage/usage.ts';
import type { Change } from '../../contract/storage.ts';

/** An event of one machine, before events of several machines are combined into one record. */
export interface MachineEvent {
  readonly type: EventType;
  readonly machine: MachineKey;
  readonly data: Record<string, unknown>;
}

/** All records that one change of a request writes. */
export interface Rows {
  readonly fence: Change;
  readonly conditions: readonly Change[];
  /** In groups: the machines of a group are stored in one commit. */
  readonly machines: readonly (readonly {
    readonly record: MachineRecord;
    readonly events: readonly MachineEvent[];
    /** The machine as it is stored. */
    readonly before: MachineRecord | undefined;
    /** Days of use that are counted while the machine still counts as living. */
    readonly ahead: readonly UsageRow[];
    /** What the change adds to the use of machines that are gone. */
    readonly usage: readonly UsageRow[];
  }[])[];
  readonly attempts: readonly { readonly record: AttemptRecord; readonly events: readonly EventRecord[] }[];
  /** Attempts to remove, by key. */
  readonly removed: readonly Pick<AttemptRecord, 'request_id' | 'attempt'>[];
  /** The attempts as they were, with their new handles. */
  readonly handles: readonly AttemptRecord[];
  readonly request: RequestRecord;
  /** The request as it is stored. */
  readonly stored: RequestRecord;
  readonly signals: readonly SignalRecord[];
  readonly events: readonly EventRecord[];
}

/**
 * Splits a change into commits of at most `most` rows, each with the fence: a large transaction would block other
 * writers. After a crash between two commits the request is loaded with the stored part, and the step is repeated.
 * Therefore the order matters: machines first, each with its events; then attempts; then the request with its applied
 * signals. So an attempt is never stored as settled before its machines, and a signal is never stored as applied
 * before its effect. New handles are stored before everything else: a machine without a stored handle could never be
 * released if its order cannot be repeated after the crash. Decisions use values derived from these records, never
 * counters, so writing the first parts twice changes nothing. Each commit raises the version of the request: by it
 * readers know that what they have read before is outdated. Else one broker would show the machines as after the first
 * parts, and another one its answer from before them.
 */
export function partsOf(
  rows: Rows,
  most: number,
  eventsOf: (events: readonly MachineEvent[]) => readonly EventRecord[],
): Change[][] {
  const parts: Change[][] = [];
  let part: Change[] = [];
  let machineEvents: MachineEvent[] = [];
  /** Equal events of several machines become one row. */
  let lines = new Set<string>();
  let usage: readonly UsageRow[] = [];
  const close = (request = rows.stored) => {
    if (part.length === 0 && request === rows.stored) return;
    parts.push([...part, put(request), ...usage.map(added), ...eventsOf(machineEvents).map(inserted)]);
    part = [];
    usage = [];
    machineEvents = [];
    lines = new Set();
  };
  /** Each part contains the request. */
  const room = Math.max(1, most - 1);
  const add = (changes: readonly Change[], events: readonly MachineEvent[] = [], used: readonly UsageRow[] = []) => {
    if (part.length + lines.size + usage.length + changes.length + events.length + used.length > room) close();
    part.push(...changes);
    if (used.length > 0) usage = summed([...usage, ...used]);
    for (const event of events) {
      machineEvents.push(event);
      lines.add(JSON.stringify([event.type, event.machine.provider_instance, event.data]));
    }
  };
  for (const { before, ahead } of rows.machines.flat()) {
    if (before === undefined) continue;
    chunks(ahead, Math.max(1, room - 1)).forEach((days, index) => {
      // One commit stores a machine once.
      if (index > 0) close();
      add([{ op: 'put', kind: 'machine', record: { ...before, used_from: endOfDays(days) } }], [], days);
    });
  }
  if (rows.machines.flat().some(({ ahead }) => ahead.length > 0)) close();
  for (const group of rows.machines)
    add(
      group.map(({ record }): Change => ({ op: 'put', kind: 'machine', record })),
      group.flatMap(({ events }) => events),
      // In the same commit as the machine: so each end is counted exactly once.
      group.flatMap((each) => each.usage),
    );
  for (const { record, events } of rows.attempts)
    add([{ op: 'put', kind: 'attempt', record }, ...events.map(inserted)]);
  for (const key of rows.removed) add([{ op: 'delete', kind: 'attempt', key }]);
  // The request, its signals and its events are committed together where they fit.
  const [first = [], ...others] = chunks([...rows.signals.map(applied), ...rows.events.map(inserted)], room);
  add(first);
  close(rows.request);
  for (const other of others) {
    add(other);
    close(rows.request);
  }
  const handles = rows.handles.map((record): Change => ({ op: 'put', kind: 'attempt', record }));
  const all = parts.length > 1 && handles.length > 0 ? [[...handles, put(rows.stored)], ...parts] : parts;
  return all.map((changes, index) => [rows.fence, ...(index === 0 ? rows.conditions : []), ...changes]);
}

const put = (record: RequestRecord): Change => ({ op: 'put', kind: 'request', record });
const applied = (record: SignalRecord): Change => ({ op: 'put', kind: 'signal', record });
const added = ({ day, kind, amounts }: UsageRow): Change => ({
  op: 'add',
  kind: 'fact',
  key: { topic: usageTopic, name: day, item: kind },
  amounts: { ...amounts },
  at: Date.parse(day),
});
const inserted = (record: EventRecord): Change => ({ op: 'insert', kind: 'event', record });
