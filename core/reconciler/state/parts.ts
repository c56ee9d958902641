import { chunks } from '../../collections/chunks.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineKey, MachineRecord } from '../../model/machine.ts';
import type { EventRecord } from '../../model/records.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { SignalRecord } from '../../model/signal.ts';
import type { Change } from '../../contract/storage.ts';

/** What is said of one machine, until it is known with whom it shares a line of the journal. */
export interface ToldOfMachine {
  readonly type: string;
  readonly machine: MachineKey;
  readonly data: Record<string, unknown>;
}

/** Everything that one change of a request writes. */
export interface Rows {
  readonly fence: Change;
  readonly conditions: readonly Change[];
  readonly machines: readonly { readonly record: MachineRecord; readonly events: readonly ToldOfMachine[] }[];
  readonly attempts: readonly { readonly record: AttemptRecord; readonly events: readonly EventRecord[] }[];
  /** Attempts as they were, with the handles that they get. */
  readonly handles: readonly AttemptRecord[];
  readonly request: RequestRecord;
  readonly signals: readonly SignalRecord[];
  readonly events: readonly EventRecord[];
}

/**
 * Cuts a change into commits of at most `most` rows, each under the fence: a transaction that is too large holds everybody else up. After a crash between
 * two of them the request is loaded as it is then and the step is done again, so the order matters: machines first, each with what is journalled of
 * it, then attempts, then the request with the signals that it carried out. An attempt that says that nothing more comes is thus never stored before the
 * machines that came, and no signal counts as carried out before what it asks for is stored. Handles are stored before all of it: a machine that is stored without one could never
 * be released if its order cannot be repeated after the crash. What is decided from is derived from these rows, never
 * counted up: doing the first parts twice changes nothing.
 */
export function partsOf(rows: Rows, most: number, eventsOf: (told: readonly ToldOfMachine[]) => readonly EventRecord[]): Change[][] {
  const parts: Change[][] = [];
  let part: Change[] = [];
  let told: ToldOfMachine[] = [];
  /** Of what is told, what is said of several machines is one row. */
  let lines = new Set<string>();
  const close = () => {
    if (part.length === 0) return;
    parts.push([...part, ...eventsOf(told).map(inserted)]);
    part = [];
    told = [];
    lines = new Set();
  };
  const add = (changes: readonly Change[], events: readonly ToldOfMachine[] = []) => {
    if (part.length + lines.size + changes.length + events.length > most) close();
    part.push(...changes);
    for (const event of events) {
      told.push(event);
      lines.add(JSON.stringify([event.type, event.machine.provider_instance, event.data]));
    }
  };
  for (const { record, events } of rows.machines) add([{ op: 'put', kind: 'machine', record }], events);
  for (const { record, events } of rows.attempts) add([{ op: 'put', kind: 'attempt', record }, ...events.map(inserted)]);
  // The request, the signals and what was decided stand or fall together.
  const last: Change[] = [
    { op: 'put', kind: 'request', record: rows.request },
    ...rows.signals.map((record): Change => ({ op: 'put', kind: 'signal', record })),
    ...rows.events.map(inserted),
  ];
  for (const part of chunks(last, most)) add(part);
  close();
  const handles = rows.handles.map((record): Change => ({ op: 'put', kind: 'attempt', record }));
  const all = parts.length > 1 && handles.length > 0 ? [handles, ...parts] : parts;
  return all.map((changes, index) => [rows.fence, ...(index === 0 ? rows.conditions : []), ...changes]);
}

const inserted = (record: EventRecord): Change => ({ op: 'insert', kind: 'event', record });
