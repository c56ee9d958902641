import type { AttemptRecord } from '../../model/attempt.ts';
import { machineKey, type MachineKey, type MachineRecord } from '../../model/machine.ts';
import { hasPlace, isReady, isStaying } from '../state/machine-life.ts';
import type { Machines } from '../state/machine-set.ts';

/** `held`: the machine still serves. `lost`: it ended unasked after its replacement was recommended. */
export type Need = 'held' | 'lost';

/**
 * Whether a machine needs a replacement. A machine that was returned, cancelled or failed needs none, and neither does
 * one whose place another machine has.
 */
export function needOf(machine: MachineRecord | undefined): Need | undefined {
  if (machine?.replace_from === undefined || !hasPlace(machine)) return undefined;
  if (isReady(machine)) return 'held';
  const { ready_at, going, lost, given_up, return_id } = machine;
  const endedUnasked = going === undefined || lost === true;
  return ready_at !== undefined && endedUnasked && given_up !== true && return_id === undefined ? 'lost' : undefined;
}

/** The machines that an order for replacements shall replace and that none of its machines is to replace yet. */
export function* openNeeds(
  { attempt, replaces = [] }: AttemptRecord,
  machines: Machines,
): Generator<{ readonly key: MachineKey; readonly need: Need }> {
  if (replaces.length === 0) return;
  const served = new Set<string>();
  for (const machine of machines.of(attempt))
    if (machine.replaces !== undefined && isStaying(machine)) served.add(machineKey(machine.replaces));
  for (const key of replaces) {
    const need = served.has(machineKey(key)) ? undefined : needOf(machines.get(key));
    if (need !== undefined) yield { key, need };
  }
}

/** The number of open needs of each kind. */
export function countNeeds(attempt: AttemptRecord, machines: Machines): Readonly<Record<Need, number>> {
  const counts = { held: 0, lost: 0 };
  for (const { need } of openNeeds(attempt, machines)) counts[need] += 1;
  return counts;
}
