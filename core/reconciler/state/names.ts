import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineRecord } from '../../model/machine.ts';
import type { RequestRecord } from '../../model/request.ts';
import { incomingOf } from './counting.ts';
import type { Machines } from './machine-set.ts';
import { hasPlace, isAlive, isStaying } from './machine-life.ts';

/** The states of the names of a request. Computed from the records each time, like all numbers of a decision. */
export interface NameStates {
  /** Names of machines that have a place in the request. */
  readonly held: ReadonlySet<string>;
  /** Names of machines that a caller returned: no other machine gets them. */
  readonly returned: ReadonlySet<string>;
  /** Names that a machine had which must go and whose release no provider has accepted yet, with that machine. */
  readonly blocked: ReadonlyMap<string, MachineRecord>;
}

interface Named {
  readonly request: Pick<RequestRecord, 'names'>;
  readonly attempts: readonly AttemptRecord[];
  readonly machines: Machines;
}

/** The states of the names. One pass over all machines. */
export function nameStates({ machines }: Pick<Named, 'machines'>): NameStates {
  const held = new Set<string>();
  const returned = new Set<string>();
  const blocked = new Map<string, MachineRecord>();
  for (const machine of machines.all()) {
    const { assigned_name: name, going, released_at, status } = machine;
    if (name === undefined) continue;
    if (isStaying(machine) && hasPlace(machine)) held.add(name);
    else if (going === 'returned' && hasPlace(machine)) returned.add(name);
    else if (isAlive(machine) && released_at === undefined && status !== 'shutting-down') blocked.set(name, machine);
  }
  return { held, returned, blocked };
}

/**
 * The names that new orders may get, in the order of the request: those that no machine holds, that were not returned,
 * that no open order may still deliver, and whose last machine is being released. There are at least as many as
 * machines are missing, except for those that are blocked.
 */
export function freeNames({ request: { names = [] }, attempts, machines }: Named): readonly string[] {
  const states = nameStates({ machines });
  const taken = new Set([...states.held, ...states.returned, ...states.blocked.keys()]);
  for (const attempt of attempts) {
    const { names: ordered } = attempt.order;
    const coming = ordered ? incomingOf(attempt, machines.counts(attempt.attempt).present) : 0;
    if (ordered && coming > 0) for (const name of openNames(ordered, states).slice(0, coming)) taken.add(name);
  }
  return names.filter((name) => !taken.has(name));
}

/**
 * The name of a machine that arrives: the one that the provider told it, else the first of its order that no other
 * machine has. Undefined: it can have none, so it is surplus.
 */
export function nameOnArrival(
  { order: { names = [] } }: AttemptRecord,
  told: string | undefined,
  states: NameStates,
): string | undefined {
  const open = openNames(names, states);
  return told === undefined ? open[0] : open.find((name) => name === told);
}

const openNames = (names: readonly string[], { held, returned }: NameStates): readonly string[] =>
  names.filter((name) => !held.has(name) && !returned.has(name));
