import type { AttemptRecord } from '../../model/attempt.ts';
import { machineKey, type MachineKey, type MachineRecord, type MachineStatus } from '../../model/machine.ts';
import { needsOf } from '../../brokers/needs.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { EventType } from '../../journal/event-types.ts';
import type { EventRecord } from '../../model/records.ts';
import { endOfDays, mostDaysAtEnd, usageChange, usageOf, type UsageRow } from '../../model/usage/usage.ts';
import type { SignalRecord } from '../../model/signal.ts';
import { eventRecord } from '../../contract/commits/new-event.ts';
import type { Change } from '../../contract/storage.ts';
import { accepted, derived } from './attempt.ts';
import { holdsOf } from './counting.ts';
import { ChangedMachines, MachineSet, type Machines } from './machine-set.ts';
import { neededInstances } from './needed-instances.ts';
import { partsOf, type Rows } from './parts.ts';

/** The state of one request in the memory of the holder of its claim. */
export interface RequestState {
  readonly request: RequestRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly machines: Machines;
  /** The signals of callers that are not applied yet. */
  readonly signals: readonly SignalRecord[];
}

/** The state as its holder keeps it. Durable changes are put into its machines. */
export interface HeldState extends RequestState {
  readonly machines: MachineSet;
}

/** The fields that a machine may lose again. */
type PartialFields = Pick<
  MachineRecord,
  | 'announced'
  | 'reclaim_at'
  | 'rebalance_at'
  | 'message'
  | 'missing_since'
  | 'gone_at'
  | 'lost'
  | 'released_at'
  | 'used_until'
  | 'reclaim_told'
  | 'replace_from'
  | 'expiry_told'
  | 'held_until'
  | 'hold_reason'
>;

/** A machine whose end a notice announced. */
export interface AnnouncedEnd {
  readonly machine: MachineRecord;
  readonly status: MachineStatus;
}

interface EventData {
  readonly type: EventType;
  readonly data: Record<string, unknown>;
}

/**
 * A change of a request state. It only collects records; the holder commits them, and only then the next state holds.
 * `now` is the time of the holder, see ClaimedRequest.
 */
export class StateChange {
  #request: RequestRecord;
  readonly #stored: RequestRecord;
  readonly #attempts: Map<number, AttemptRecord>;
  readonly #before: readonly AttemptRecord[];
  readonly #machines: ChangedMachines;
  readonly #signals: Map<string, SignalRecord>;
  readonly #changedAttempts = new Set<number>();
  readonly #removedAttempts = new Set<number>();
  readonly #applied: SignalRecord[] = [];
  /** Use that is counted before the commit of a machine's end, by machine. */
  readonly #ahead = new Map<string, readonly UsageRow[]>();
  readonly #events: EventRecord[] = [];
  readonly #conditions: Change[] = [];
  readonly #announcedEnds: AnnouncedEnd[] = [];
  /** By machine, in the order of the events. */
  readonly #machineEvents = new Map<
    MachineRecord['machine_id'],
    { readonly machine: MachineKey; readonly events: EventData[] }
  >();
  #requestChanged = false;
  #observed = false;
  #orders = false;
  readonly #notes: { readonly attempt: number; readonly note: (attempt: AttemptRecord) => AttemptRecord }[] = [];
  readonly now: number;

  constructor(from: RequestState, now: number) {
    this.now = now;
    this.#request = from.request;
    this.#stored = from.request;
    this.#before = from.attempts;
    this.#attempts = new Map(from.attempts.map((attempt) => [attempt.attempt, attempt]));
    this.#machines = new ChangedMachines(from.machines);
    this.#signals = new Map(from.signals.map((signal) => [signal.signal_id, signal]));
  }

  get request(): RequestRecord {
    return this.#request;
  }
  get attempts(): readonly AttemptRecord[] {
    return [...this.#attempts.values()];
  }
  get machines(): Machines {
    return this.#machines;
  }
  get signals(): readonly SignalRecord[] {
    return [...this.#signals.values()];
  }

  attempt(number: number): AttemptRecord | undefined {
    return this.#attempts.get(number);
  }
  machine(key: MachineKey): MachineRecord | undefined {
    return this.#machines.get(key);
  }

  /** Sets fields of the request. Equal values are no change. */
  setRequest(fields: Partial<RequestRecord>): void {
    if (alike(this.#request, fields)) return;
    this.#request = { ...this.#request, ...fields };
    this.#requestChanged = true;
  }

  /** Sets what the request takes of budgets. Undefined: nothing. */
  reserve(reserves: string | undefined): void {
    if (reserves !== undefined) return this.setRequest({ reserves });
    if (this.#request.reserves === undefined) return;
    const { reserves: _, ...rest } = this.#request;
    this.#request = rest;
    this.#requestChanged = true;
  }

  /** The change orders machines: it is committed only when the budgets have room for them. */
  order(): void {
    this.#orders = true;
  }

  get orders(): boolean {
    return this.#orders;
  }

  /** The request no longer waits for a slot. */
  stopWaiting(): void {
    if (this.#request.waits_for === undefined) return;
    const { waits_for: _, ...rest } = this.#request;
    this.#request = rest;
    this.#requestChanged = true;
  }

  /** Adds a new attempt with its stored order. */
  addAttempt(attempt: AttemptRecord): void {
    this.#attempts.set(attempt.attempt, attempt);
    this.#changedAttempts.add(attempt.attempt);
  }

  /** Removes the record of an attempt that ended without a machine. */
  removeAttempt(number: number): void {
    if (this.#attempts.delete(number)) this.#removedAttempts.add(number);
  }

  /** Applies a transition of `attempt.ts` to an attempt. An equal result is no change. */
  moveAttempt(number: number, transition: (attempt: AttemptRecord) => AttemptRecord): void {
    const attempt = this.#attempts.get(number);
    if (!attempt) return;
    const next = transition(attempt);
    if (next === attempt || alike(attempt, next)) return;
    this.#attempts.set(number, next);
    this.#changedAttempts.add(number);
  }

  /** As `moveAttempt`, for what is only shown: it is only stored together with another change. */
  noteAttempt(attempt: number, note: (attempt: AttemptRecord) => AttemptRecord): void {
    this.#notes.push({ attempt, note });
  }

  putMachine(machine: MachineRecord): void {
    this.#machines.put(machine);
  }

  setMachine(key: MachineKey, fields: Partial<MachineRecord>): void {
    const machine = this.machine(key);
    if (machine && !alike(machine, fields)) this.#machines.put({ ...machine, ...fields });
  }

  /** Removes fields of a machine. Absent fields are no change. */
  unsetMachine(key: MachineKey, ...fields: readonly (keyof PartialFields)[]): void {
    const machine = this.machine(key);
    if (!machine || fields.every((field) => machine[field] === undefined)) return;
    const rest = { ...machine };
    for (const field of fields) delete rest[field];
    this.#machines.put(rest);
  }

  /** Whether the signal was not applied before this change. */
  isNews(signal_id: string): boolean {
    return this.#signals.has(signal_id) || this.#applied.some((signal) => signal.signal_id === signal_id);
  }

  /** The signals that this change applies. */
  get applied(): readonly SignalRecord[] {
    return this.#applied;
  }

  apply(signal: SignalRecord): void {
    this.#signals.delete(signal.signal_id);
    this.#applied.push({ ...signal, applied: true });
  }

  /** A notice announced the end of a machine. Not stored: the holder observes the machine after the commit. */
  announceEnd(end: AnnouncedEnd): void {
    this.#announcedEnds.push(end);
  }

  get announcedEnds(): readonly AnnouncedEnd[] {
    return this.#announcedEnds;
  }

  /** The provider reported the machines. The time of the report is only stored together with another change. */
  observed(): void {
    this.#observed = true;
  }

  /** Adds a condition of the commit besides the claim. */
  require(condition: Change): void {
    this.#conditions.push(condition);
  }

  journal(type: EventType, data: Record<string, unknown> = {}): void {
    this.#events.push(eventRecord(this.now, type, data, this.#request.request_id));
  }

  /** Adds an event of a machine. Equal events of several machines in one commit become one record. */
  journalMachine(type: EventType, machine: MachineKey, data: Record<string, unknown> = {}): void {
    const key = `${machine.provider_instance} ${machine.machine_id}`;
    const mine = this.#machineEvents.get(key) ?? { machine, events: [] };
    mine.events.push({ type, data });
    this.#machineEvents.set(key, mine);
  }

  /** Sets the number of vCPUs of changed machines, where it became known. */
  size(vcpusOf: (instance: string, machine_type: string) => number | undefined): void {
    const asked = new Map<string, number | undefined>();
    for (const { provider_instance, machine_id, machine_type, vcpus } of this.#machines.changed) {
      if (vcpus !== undefined || machine_type === undefined) continue;
      const key = `${provider_instance} ${machine_type}`;
      if (!asked.has(key)) asked.set(key, vcpusOf(provider_instance, machine_type));
      const known = asked.get(key);
      if (known !== undefined) this.setMachine({ provider_instance, machine_id }, { vcpus: known });
    }
  }

  /** A machine may have lived for years: its end must not write all of its days in one commit. */
  #countAhead(): void {
    for (const machine of this.#machines.changed) {
      const before = this.#machines.before(machine);
      if (before === undefined || before.gone_at !== undefined || machine.gone_at === undefined) continue;
      const days = usageOf(machine, machine.gone_at);
      if (days.length <= mostDaysAtEnd) continue;
      const ahead = days.slice(0, -1);
      this.#ahead.set(machineKey(machine), ahead);
      this.setMachine(machine, { used_from: endOfDays(ahead) });
    }
  }

  /** Computes the derived fields. Must be called before `changed` and `commits`. */
  derive(): void {
    this.#countAhead();
    for (const attempt of this.#attempts.values())
      this.moveAttempt(attempt.attempt, (each) => derived(each, this.#machines.counts(each.attempt).lost, this.now));
    const delivered = this.#machines.counts().delivered;
    // The records of gone machines may be removed after the end of the request.
    const had = isTerminal(this.#request.status) ? this.#request.delivered : 0;
    this.setRequest({ holds: holdsOf(this), delivered: Math.max(had, delivered) });
    if (this.#request.kind === 'provision')
      this.setRequest({ needs: needsOf(neededInstances(this.#request, this.attempts)) });
    if (this.#observed && this.changed) this.setRequest({ observed_at: this.now });
    if (this.changed) for (const { attempt, note } of this.#notes) this.moveAttempt(attempt, note);
  }

  get changedMachines(): readonly MachineRecord[] {
    return this.#machines.changed;
  }
  get changedAttempts(): readonly AttemptRecord[] {
    return [...this.#changedAttempts].flatMap((number) => this.#attempts.get(number) ?? []);
  }

  /** The attempts that start no further machine since this change. */
  get endedAttempts(): readonly AttemptRecord[] {
    const before = new Map(this.#before.map((attempt) => [attempt.attempt, attempt.ended_at]));
    return this.changedAttempts.filter(
      ({ attempt, ended_at }) => ended_at !== undefined && before.get(attempt) === undefined,
    );
  }

  get changed(): boolean {
    const changes =
      this.#changedAttempts.size +
      this.#removedAttempts.size +
      this.#machines.changed.length +
      this.#applied.length +
      this.#events.length;
    return this.#requestChanged || changes > 0;
  }

  /** The state after the change is durable. Puts the changed machines into `into`, the machines of the holder. */
  done(into: MachineSet): HeldState {
    for (const machine of this.#machines.changed) into.put(machine);
    return { request: this.#request, attempts: this.attempts, machines: into, signals: this.signals };
  }

  /** The commits of the change, each of at most `rows` rows; see `partsOf`. */
  commits(rows: number): Change[][] {
    const { request_id, epoch } = this.#request;
    const changed: Rows = {
      fence: { op: 'fence', request_id, epoch },
      conditions: this.#conditions,
      machines: withReplacements(this.#machines.changed).map((records) =>
        records.map((record) => ({
          record,
          events: this.#eventsOf(record),
          before: this.#machines.before(record),
          ahead: this.#ahead.get(machineKey(record)) ?? [],
          usage: usageChange(this.#machines.before(record), record),
        })),
      ),
      attempts: this.changedAttempts.map((record) => ({
        record,
        events: this.#events.filter(({ data }) => data['attempt'] === record.attempt),
      })),
      removed: [...this.#removedAttempts].map((attempt) => ({ request_id, attempt })),
      handles: this.#newHandles(),
      request: this.#request,
      stored: this.#stored,
      signals: this.#applied,
      events: this.#events.filter(({ data }) => !this.#changedAttempts.has(data['attempt'] as number)),
    };
    return partsOf(changed, rows, (events) => this.#asEvents(events));
  }

  #newHandles(): readonly AttemptRecord[] {
    return this.#before.flatMap((before) => {
      const handle = this.#attempts.get(before.attempt)?.handle;
      const handed = handle === undefined ? before : accepted(before, handle);
      return handed === before || before.handle !== undefined || before.accepted_handle !== undefined ? [] : [handed];
    });
  }

  #eventsOf({
    provider_instance,
    machine_id,
  }: MachineRecord): readonly (EventData & { readonly machine: MachineKey })[] {
    const mine = this.#machineEvents.get(`${provider_instance} ${machine_id}`);
    return mine?.events.map((event) => ({ ...event, machine: mine.machine })) ?? [];
  }

  /** One event for each combination of type, instance and data, with the ids of all its machines. */
  #asEvents(events: readonly (EventData & { readonly machine: MachineKey })[]): EventRecord[] {
    const { request_id } = this.#request;
    const same = Map.groupBy(events, ({ type, machine, data }) =>
      JSON.stringify([type, machine.provider_instance, data]),
    );
    return [...same.values()].flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { provider_instance } = first.machine;
      const data = { ...first.data, provider_instance, machine_ids: group.map(({ machine }) => machine.machine_id) };
      return [eventRecord(this.now, first.type, data, request_id)];
    });
  }
}

/** Each machine together with those that replaced it, one after another. */
function withReplacements(machines: readonly MachineRecord[]): readonly (readonly MachineRecord[])[] {
  const byKey = new Map(machines.map((machine) => [machineKey(machine), machine]));
  const next = ({ replaced_by }: MachineRecord) => replaced_by && byKey.get(machineKey(replaced_by));
  const followers = new Set(machines.flatMap((machine) => next(machine) ?? []));
  return machines
    .filter((machine) => !followers.has(machine))
    .map((first) => {
      const group = [first];
      for (let each = next(first); each !== undefined; each = next(each)) group.push(each);
      return group;
    });
}

function alike<T extends object>(record: T, fields: Partial<T>): boolean {
  for (const [name, value] of Object.entries(fields)) {
    const present = record[name as keyof T];
    if (present !== value && JSON.stringify(present) !== JSON.stringify(value)) return false;
  }
  return true;
}
