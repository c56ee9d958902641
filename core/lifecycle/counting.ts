import type { AttemptRecord } from '../model/attempt.ts';
import type { MachineRecord, MachineStatus } from '../model/machine.ts';
import { isTerminal, type RequestRecord } from '../model/request.ts';

interface Counted {
  readonly request: RequestRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly machines: readonly MachineRecord[];
}

const grouped = new WeakMap<readonly MachineRecord[], ReadonlyMap<number, readonly MachineRecord[]>>();

/** The machines of one attempt. A list of machines is never changed, so it is sorted by attempt once. */
export function machinesOf(machines: readonly MachineRecord[], attempt: AttemptRecord): readonly MachineRecord[] {
  let groups = grouped.get(machines);
  if (!groups) grouped.set(machines, (groups = Map.groupBy(machines, (machine) => machine.attempt)));
  return groups.get(attempt.attempt) ?? [];
}

/** It exists, as far as we know. */
export const isAlive = (machine: MachineRecord): boolean => machine.gone_at === undefined;

const ending: ReadonlySet<MachineStatus> = new Set(['shutting-down', 'stopping', 'stopped', 'terminated', 'failed']);
/** It will not become usable, or is no longer. */
export const isEnding = (status: MachineStatus): boolean => ending.has(status);

/** It is there, or coming up, and shall stay. */
export const isStaying = (machine: MachineRecord): boolean => isAlive(machine) && machine.going === undefined && !isEnding(machine.status);

export const isReady = (machine: MachineRecord): boolean => isStaying(machine) && machine.ready_at !== undefined;

/** Wanted gone, and the provider has not accepted it yet. */
export const awaitsRelease = (machine: MachineRecord): boolean =>
  isAlive(machine) && machine.going !== undefined && machine.released_at === undefined;

/** Nothing more comes of it by itself. */
export const isSettled = (attempt: AttemptRecord): boolean =>
  attempt.state === 'closed' || (attempt.state !== 'open' && (attempt.settled || (attempt.to_come === 0 && attempt.reopened !== true)));

/** How many machines may still arrive of an attempt, given how many of it stay. */
export function toCome(attempt: AttemptRecord, staying: number): number {
  if (isSettled(attempt)) return 0;
  const room = Math.max(0, attempt.order.machine_count - staying);
  return attempt.to_come === undefined || attempt.reopened ? room : Math.min(room, attempt.to_come);
}

/** The figures that decisions rest on. */
export interface Tally {
  readonly staying: number;
  readonly ready: number;
  /** May still arrive, over all attempts. */
  readonly to_come: number;
  /** Wanted, and neither there nor to come. */
  readonly missing: number;
  readonly stayingOf: ReadonlyMap<number, number>;
}

export function tally({ request, attempts, machines }: Counted): Tally {
  const stayingOf = new Map<number, number>();
  let staying = 0;
  let ready = 0;
  for (const machine of machines) {
    if (!isStaying(machine)) continue;
    staying += 1;
    if (machine.ready_at !== undefined) ready += 1;
    stayingOf.set(machine.attempt, (stayingOf.get(machine.attempt) ?? 0) + 1);
  }
  const to_come = attempts.reduce((sum, attempt) => sum + toCome(attempt, stayingOf.get(attempt.attempt) ?? 0), 0);
  return { staying, ready, to_come, missing: Math.max(0, request.wanted - staying - to_come), stayingOf };
}

/** What counts against `max_instances`: machines whose release no provider accepted yet, and those still to be had. */
export function holdsOf(counted: Counted): number {
  const { request, machines } = counted;
  if (request.kind === 'return') return 0;
  const kept = machines.filter((machine) => isAlive(machine) && machine.released_at === undefined).length;
  if (isTerminal(request.status) || request.cancel_requested_at !== undefined) return kept;
  return kept + Math.max(0, request.wanted - tally(counted).staying);
}
