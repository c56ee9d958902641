import { machineKey, type MachineKey, type MachineRecord } from '../../model/machine.ts';
import { leaseDue } from '../leases/lease-due.ts';
import { awaitsRelease, hasPlace, isAlive, isReady, isStandby, isStaying } from './machine-life.ts';

/** The classes that machines are counted by. A machine may be in several classes. */
const classes = {
  /** Exists, as far as muster knows. */
  alive: isAlive,
  /** Exists and shall exist: the requested machines, their replacements, and those that are replaced. */
  present: isStaying,
  /** One of the requested machines, and stays. */
  staying: (machine: MachineRecord) => isStaying(machine) && hasPlace(machine),
  /** Stays and was ready once. */
  ready: (machine: MachineRecord) => isReady(machine) && hasPlace(machine),
  /** Was ready once, whatever its present state. A replacement is no further delivery. */
  delivered: (machine: MachineRecord) => machine.ready_at !== undefined && machine.replaces === undefined,
  /** Lives, shall stay, and was never ready. */
  unready: (machine: MachineRecord) =>
    isAlive(machine) && machine.going === undefined && machine.ready_at === undefined,
  /** Lives and must go. */
  going: (machine: MachineRecord) => isAlive(machine) && machine.going !== undefined,
  awaitsRelease,
  /** Lives as far as muster knows, and the last complete answer did not list it. */
  missing: (machine: MachineRecord) => isAlive(machine) && machine.missing_since !== undefined,
  /** Lives, and no provider has accepted its release yet. */
  unreleased: (machine: MachineRecord) => isAlive(machine) && machine.released_at === undefined,
  /** Ended without a release by muster. */
  lost: (machine: MachineRecord) => machine.lost === true,
  /** Returned by a caller while its place was not another machine's, so that the place is given up. */
  returned: (machine: MachineRecord) => machine.going === 'returned' && hasPlace(machine),
  /** Shall be replaced, and is still used. */
  wanted: (machine: MachineRecord) => machine.replace_from !== undefined && isReady(machine) && hasPlace(machine),
  /** Will take the place of another machine. */
  standby: (machine: MachineRecord) => isStandby(machine) && isStaying(machine),
  /** Was replaced, and is released after a time. */
  draining: (machine: MachineRecord) =>
    machine.replaced_by !== undefined && isAlive(machine) && machine.going === undefined,
} satisfies Record<string, (machine: MachineRecord) => boolean>;

export type MachineClass = keyof typeof classes;
export type MachineCounts = Readonly<Record<MachineClass, number>>;

const names = Object.keys(classes) as MachineClass[];
const none: MachineCounts = Object.fromEntries(names.map((name) => [name, 0])) as Record<MachineClass, number>;

/** Living machines of one attempt that cost and count the same. */
export interface LivingGroup extends Pick<MachineRecord, 'attempt' | 'provider_instance' | 'machine_type' | 'market'> {
  /** US dollars an hour. Absent: not known. */
  readonly usd_per_hour?: number;
  readonly count: number;
}

/** The machines of one request, with counts by class, so that decisions need not iterate over all machines. */
export interface Machines {
  get(key: MachineKey): MachineRecord | undefined;
  /** In the order of their arrival. */
  all(): Iterable<MachineRecord>;
  of(attempt: number): Iterable<MachineRecord>;
  /** The counts of one attempt; without a number, of all attempts. */
  counts(attempt?: number): MachineCounts;
  /** The machines that live, grouped. */
  living(): Iterable<LivingGroup>;
  /** The earliest time at which a lease ends or its end must be announced. Infinity: none does. */
  leaseDue(): number;
}

/** Counters by class, in total and by attempt. */
class Counters {
  readonly #total = { ...none };
  readonly #byAttempt = new Map<number, Record<MachineClass, number>>();
  readonly living = new Map<string, LivingGroup>();

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
    this.#regroup(before, -1);
    this.#regroup(after, 1);
  }

  #regroup(machine: MachineRecord | undefined, by: 1 | -1): void {
    if (machine === undefined || !isAlive(machine)) return;
    const { attempt, provider_instance, machine_type, market, price } = machine;
    const key = [attempt, provider_instance, machine_type, market, price?.usd_per_hour].join('|');
    const present = this.living.get(key);
    this.living.set(key, {
      ...(present ?? {
        attempt,
        provider_instance,
        ...(machine_type === undefined ? {} : { machine_type }),
        ...(market === undefined ? {} : { market }),
        ...(price === undefined ? {} : { usd_per_hour: price.usd_per_hour }),
      }),
      count: (present?.count ?? 0) + by,
    });
  }

  #mine(attempt: number): Record<MachineClass, number> {
    let mine = this.#byAttempt.get(attempt);
    if (!mine) this.#byAttempt.set(attempt, (mine = { ...none }));
    return mine;
  }
}

/** The stored machines of a request. The attempt of a machine never changes. */
export class MachineSet implements Machines {
  readonly #byKey = new Map<string, MachineRecord>();
  readonly #byAttempt = new Map<number, Map<string, MachineRecord>>();
  readonly #counters = new Counters();
  /** Undefined: it must be computed again. */
  #leaseDue: number | undefined = Infinity;

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

  living(): Iterable<LivingGroup> {
    return this.#counters.living.values();
  }

  leaseDue(): number {
    return (this.#leaseDue ??= earliestLease(this.all()));
  }

  put(machine: MachineRecord): void {
    const key = machineKey(machine);
    const before = this.#byKey.get(key);
    this.#counters.replace(before, machine);
    if (this.#leaseDue !== undefined) {
      const due = leaseDue(machine);
      if (due <= this.#leaseDue) this.#leaseDue = due;
      // The earliest one changed; the next one is only searched when it is asked for.
      else if (before && leaseDue(before) === this.#leaseDue) this.#leaseDue = undefined;
    }
    this.#byKey.set(key, machine);
    const mine = this.#byAttempt.get(machine.attempt);
    if (mine) mine.set(key, machine);
    else this.#byAttempt.set(machine.attempt, new Map([[key, machine]]));
  }
}

function earliestLease(machines: Iterable<MachineRecord>): number {
  let earliest = Infinity;
  for (const machine of machines) earliest = Math.min(earliest, leaseDue(machine));
  return earliest;
}

/** Machines with changes that are not durable yet. The underlying set is not changed. */
export class ChangedMachines implements Machines {
  readonly #base: Machines;
  readonly #changed = new Map<string, MachineRecord>();
  readonly #counters = new Counters();

  constructor(base: Machines) {
    this.#base = base;
  }

  /** The changed machines, in the order of their first change. */
  get changed(): readonly MachineRecord[] {
    return [...this.#changed.values()];
  }

  /** The machine without the changes. */
  before(key: MachineKey): MachineRecord | undefined {
    return this.#base.get(key);
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
    for (const machine of this.#changed.values())
      if (machine.attempt === attempt && !this.#base.get(machine)) yield machine;
  }

  counts(attempt?: number): MachineCounts {
    const [base, change] = [this.#base.counts(attempt), this.#counters.of(attempt)];
    if (change === none || this.#changed.size === 0) return base;
    return Object.fromEntries(names.map((name) => [name, base[name] + change[name]])) as Record<MachineClass, number>;
  }

  *living(): Iterable<LivingGroup> {
    yield* this.#base.living();
    yield* this.#counters.living.values();
  }

  leaseDue(): number {
    return this.#changed.size === 0 ? this.#base.leaseDue() : earliestLease(this.all());
  }

  put(machine: MachineRecord): void {
    this.#counters.replace(this.get(machine), machine);
    this.#changed.set(machineKey(machine), machine);
  }
}
