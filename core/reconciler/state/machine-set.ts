import { machineKey, type MachineKey, type MachineRecord } from '../../model/machine.ts';
import { awaitsRelease, isAlive, isReady, isStaying } from './machine-life.ts';

/** What machines are counted by. A machine may be in several of these classes. */
const classes = {
  /** It exists, as far as is known. */
  alive: isAlive,
  staying: isStaying,
  /** Stays and was usable once. */
  ready: isReady,
  /** Became usable once, whatever became of it since. */
  delivered: (machine: MachineRecord) => machine.ready_at !== undefined,
  /** Lives, shall stay, and was never usable yet. */
  unready: (machine: MachineRecord) => isAlive(machine) && machine.going === undefined && machine.ready_at === undefined,
  /** Lives and shall go. */
  going: (machine: MachineRecord) => isAlive(machine) && machine.going !== undefined,
  awaitsRelease,
  /** Lives, and no provider accepted its release yet. */
  unreleased: (machine: MachineRecord) => isAlive(machine) && machine.released_at === undefined,
  /** Went without being asked to. */
  lost: (machine: MachineRecord) => machine.lost === true,
  /** Given back by a caller while it lived. */
  returned: (machine: MachineRecord) => machine.going === 'returned',
} satisfies Record<string, (machine: MachineRecord) => boolean>;

export type MachineClass = keyof typeof classes;
export type MachineCounts = Readonly<Record<MachineClass, number>>;

const names = Object.keys(classes) as MachineClass[];
const none: MachineCounts = Object.fromEntries(names.map((name) => [name, 0])) as Record<MachineClass, number>;

/** The machines of one request, with counts by class: what is decided from them costs no walk over all of them. */
export interface Machines {
  get(key: MachineKey): MachineRecord | undefined;
  /** In the order in which they came. */
  all(): Iterable<MachineRecord>;
  of(attempt: number): Iterable<MachineRecord>;
  /** Of one attempt; without a number, of all. */
  counts(attempt?: number): MachineCounts;
}

/** Adds or takes away what one machine counts for. */
class Counters {
  readonly #total = { ...none };
  readonly #byAttempt = new Map<number, Record<MachineClass, number>>();

  of(attempt?: number): MachineCounts {
    return attempt === undefined ? this.#total : (this.#byAttempt.get(attempt) ?? none);
  }

  replace(before: MachineRecord | undefined, after: MachineRecord): void {
    const mine = this.#mine(after.attempt);
    for (const name of names) {
      const change = Number(classes[name](after)) - Number(before !== undefined && classes[name](before));
      if (change === 0) continue;
      mine[name] += change;
      this.#total[name] += change;
    }
  }

  #mine(attempt: number): Record<MachineClass, number> {
    let mine = this.#byAttempt.get(attempt);
    if (!mine) this.#byAttempt.set(attempt, (mine = { ...none }));
    return mine;
  }
}

/** Machines as they are stored. The attempt of a machine never changes. */
export class MachineSet implements Machines {
  readonly #byKey = new Map<string, MachineRecord>();
  readonly #byAttempt = new Map<number, Map<string, MachineRecord>>();
  readonly #counters = new Counters();

  constructor(machines: Iterable<MachineRecord> = []) {
    for (const machine of machines) this.put(machine);
  }

  get(key: MachineKey): MachineRecord | undefined {
    return this.#byKey.get(machineKey(key));
  }

  all(): Iterable<MachineRecord> {
    return this.#byKey.values();
  }

  of(attempt: number): Iterable<MachineRecord> {
    return this.#byAttempt.get(attempt)?.values() ?? [];
  }

  counts(attempt?: number): MachineCounts {
    return this.#counters.of(attempt);
  }

  put(machine: MachineRecord): void {
    const key = machineKey(machine);
    this.#counters.replace(this.#byKey.get(key), machine);
    this.#byKey.set(key, machine);
    const mine = this.#byAttempt.get(machine.attempt);
    if (mine) mine.set(key, machine);
    else this.#byAttempt.set(machine.attempt, new Map([[key, machine]]));
  }
}

/** Machines as they will be once a change is durable; the set below it stays as it is until then. */
export class ChangedMachines implements Machines {
  readonly #base: Machines;
  readonly #changed = new Map<string, MachineRecord>();
  readonly #counters = new Counters();

  constructor(base: Machines) {
    this.#base = base;
  }

  /** Those that differ, in the order of their first change. */
  get changed(): readonly MachineRecord[] {
    return [...this.#changed.values()];
  }

  get(key: MachineKey): MachineRecord | undefined {
    return this.#changed.get(machineKey(key)) ?? this.#base.get(key);
  }

  *all(): Iterable<MachineRecord> {
    for (const machine of this.#base.all()) yield this.#changed.get(machineKey(machine)) ?? machine;
    for (const machine of this.#changed.values()) if (!this.#base.get(machine)) yield machine;
  }

  *of(attempt: number): Iterable<MachineRecord> {
    for (const machine of this.#base.of(attempt)) yield this.#changed.get(machineKey(machine)) ?? machine;
    for (const machine of this.#changed.values()) if (machine.attempt === attempt && !this.#base.get(machine)) yield machine;
  }

  counts(attempt?: number): MachineCounts {
    const [base, change] = [this.#base.counts(attempt), this.#counters.of(attempt)];
    if (change === none || this.#changed.size === 0) return base;
    return Object.fromEntries(names.map((name) => [name, base[name] + change[name]])) as Record<MachineClass, number>;
  }

  put(machine: MachineRecord): void {
    this.#counters.replace(this.get(machine), machine);
    this.#changed.set(machineKey(machine), machine);
  }
}
