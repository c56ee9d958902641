import type { AttemptRecord } from '../model/attempt.ts';
import { machineKey, type MachineKey, type MachineRecord } from '../model/machine.ts';
import type { RequestRecord } from '../model/request.ts';
import type { WishRecord } from '../model/wish.ts';
import type { Change } from '../storage.ts';
import { holdsOf } from './counting.ts';

/** Everything that is known of one request, as the holder of its claim has it in memory. */
export interface Case {
  readonly request: RequestRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly machines: readonly MachineRecord[];
  /** Wishes of callers that are not absorbed yet. */
  readonly wishes: readonly WishRecord[];
}

/**
 * A case on its way to its next state. It only collects: the changes are committed by the loop, and only then does the next state hold.
 */
export class Draft {
  #request: RequestRecord;
  readonly #attempts: Map<number, AttemptRecord>;
  readonly #machines: Map<string, MachineRecord>;
  readonly #wishes: Map<string, WishRecord>;
  readonly #changedAttempts = new Set<number>();
  readonly #changedMachines = new Set<string>();
  readonly #absorbed: WishRecord[] = [];
  readonly #events: Change[] = [];
  readonly #told = new Map<string, { readonly type: string; readonly data: Record<string, unknown>; readonly machine_ids: string[] }>();
  #requestChanged = false;
  readonly now: number;

  constructor(from: Case, now: number) {
    this.now = now;
    this.#request = from.request;
    this.#attempts = new Map(from.attempts.map((attempt) => [attempt.attempt, attempt]));
    this.#machines = new Map(from.machines.map((machine) => [machineKey(machine), machine]));
    this.#wishes = new Map(from.wishes.map((wish) => [wish.wish_id, wish]));
  }

  get request(): RequestRecord {
    return this.#request;
  }
  get attempts(): readonly AttemptRecord[] {
    return [...this.#attempts.values()];
  }
  get machines(): readonly MachineRecord[] {
    return [...this.#machines.values()];
  }
  get wishes(): readonly WishRecord[] {
    return [...this.#wishes.values()];
  }

  attempt(number: number): AttemptRecord | undefined {
    return this.#attempts.get(number);
  }
  machine(key: MachineKey): MachineRecord | undefined {
    return this.#machines.get(machineKey(key));
  }

  /** Sets fields of the request; what is the same already changes nothing. */
  setRequest(fields: Partial<RequestRecord>): void {
    if (alike(this.#request, fields)) return;
    this.#request = { ...this.#request, ...fields };
    this.#requestChanged = true;
  }

  putAttempt(attempt: AttemptRecord): void {
    this.#attempts.set(attempt.attempt, attempt);
    this.#changedAttempts.add(attempt.attempt);
  }

  setAttempt(number: number, fields: Partial<AttemptRecord>): void {
    const attempt = this.#attempts.get(number);
    if (attempt && !alike(attempt, fields)) this.putAttempt({ ...attempt, ...fields });
  }

  putMachine(machine: MachineRecord): void {
    const key = machineKey(machine);
    this.#machines.set(key, machine);
    this.#changedMachines.add(key);
  }

  setMachine(key: MachineKey, fields: Partial<MachineRecord>): void {
    const machine = this.machine(key);
    if (machine && !alike(machine, fields)) this.putMachine({ ...machine, ...fields });
  }

  /** Takes a field of a machine away; what is absent already changes nothing. */
  unsetMachine(key: MachineKey, field: 'reclaim_at'): void {
    const machine = this.machine(key);
    if (machine?.[field] === undefined) return;
    const { [field]: _, ...rest } = machine;
    this.putMachine(rest);
  }

  absorb(wish: WishRecord): void {
    this.#wishes.delete(wish.wish_id);
    this.#absorbed.push({ ...wish, absorbed: true });
  }

  journal(type: string, data: Record<string, unknown> = {}): void {
    const record = { seq: 0, at: this.now, type, request_id: this.#request.request_id, data };
    this.#events.push({ op: 'insert', kind: 'event', record });
  }

  /** Journals something of a machine; what is said of many in one step is one line. */
  tell(type: string, machine: MachineKey, data: Record<string, unknown> = {}): void {
    const kind = JSON.stringify([type, machine.provider_instance, data]);
    const told = this.#told.get(kind) ?? { type, data: { ...data, provider_instance: machine.provider_instance }, machine_ids: [] };
    told.machine_ids.push(machine.machine_id);
    this.#told.set(kind, told);
  }

  get changed(): boolean {
    return (
      this.#requestChanged || this.#changedAttempts.size + this.#changedMachines.size + this.#absorbed.length + this.#events.length > 0
    );
  }

  /** The next state. */
  done(): Case {
    this.setRequest({ holds: holdsOf(this) });
    return { request: this.#request, attempts: this.attempts, machines: this.machines, wishes: this.wishes };
  }

  /**
   * What to commit, in parts of at most `rows` changes. The last part carries the request, its attempts and the absorbed wishes: until
   * it is durable, a restart does the same step again, and machines that are stored already are found again.
   */
  commits(rows: number): Change[][] {
    for (const { type, data, machine_ids } of this.#told.values()) this.journal(type, { ...data, machine_ids });
    this.#told.clear();
    this.setRequest({ holds: holdsOf(this) });
    const machines = [...this.#changedMachines].flatMap((key): Change[] => {
      const record = this.#machines.get(key);
      return record ? [{ op: 'put', kind: 'machine', record }] : [];
    });
    const rest: Change[] = [
      ...[...this.#changedAttempts].flatMap((number): Change[] => {
        const record = this.#attempts.get(number);
        return record ? [{ op: 'put', kind: 'attempt', record }] : [];
      }),
      ...this.#absorbed.map((record): Change => ({ op: 'put', kind: 'wish', record })),
      ...this.#events,
    ];
    const head: Change[] = [
      { op: 'fence', request_id: this.#request.request_id, epoch: this.#request.epoch },
      { op: 'put', kind: 'request', record: this.#request },
    ];
    const parts: Change[][] = [];
    const room = rows - head.length;
    while (machines.length + Math.min(rest.length, room) > room && machines.length > 0) parts.push([...head, ...machines.splice(0, room)]);
    // Early parts only say which machines there are: the request itself is as it was read until the last part.
    const early = parts.map((part) => part.filter((change) => !(change.op === 'put' && change.kind === 'request')));
    return [...early, [...head, ...machines, ...rest]];
  }
}

function alike<T extends object>(record: T, fields: Partial<T>): boolean {
  for (const [name, value] of Object.entries(fields)) {
    const present = record[name as keyof T];
    if (present !== value && JSON.stringify(present) !== JSON.stringify(value)) return false;
  }
  return true;
}
