import { defaultDrainS } from '../../model/template.ts';
import { machineKey, type MachineRecord } from '../../model/machine.ts';
import { asMoved } from '../clock-shift/shift-times.ts';
import { leaseOf } from '../leases/apply-leases.ts';
import type { StateChange } from '../state/request-state.ts';
import { isReady } from '../state/machine-life.ts';
import { awaitedLost, moveOf, replaceUntil, type Timing } from './move.ts';

/** The most machines of one change. */
const mostAtOnce = 250;

/**
 * Makes the due moves of replacements. Both machines of a pair are stored in one commit, so that a place never has two
 * machines or none.
 */
export function replace(change: StateChange, settings: Timing): void {
  let moved = 0;
  for (const { provider_instance, machine_id } of change.machines.all()) {
    // An earlier move may have changed the machine.
    const machine = change.machine({ provider_instance, machine_id });
    const move = machine && moveOf(machine, change, change.now, settings);
    if (machine === undefined || move === undefined) continue;
    if (move === 'take-over') takeOver(change, machine);
    else if (move === 'give-up') giveUp(change, machine);
    else release(change, machine, move === 'end' ? 'replaced' : 'surplus');
    moved += 1;
    if (moved === mostAtOnce) return;
  }
  for (const machine of awaitedLost(change))
    if (change.now >= replaceUntil(machine, change.request, settings)) giveUp(change, machine);
}

function release(change: StateChange, machine: MachineRecord, going: 'replaced' | 'surplus'): void {
  change.setMachine(machine, { going });
  change.journalMachine('machine.unwanted', machine, { why: going });
}

function takeOver(change: StateChange, machine: MachineRecord): void {
  const old = machine.replaces && change.machine(machine.replaces);
  if (!old) return;
  const { now } = change;
  // A machine that ended has nothing to empty. If it appears again, it goes.
  const release_at = isReady(old) ? now + drainMs(change, old) : now;
  change.setMachine(old, { replaced_by: keyOf(machine), release_at, ...asMoved(change) });
  change.setMachine(machine, { took_over_at: now, ...leaseOf(old), ...asMoved(change) });
  const replaced_by = machine.machine_id;
  change.journalMachine('machine.replaced', old, { replaced_by, release_at: new Date(release_at).toISOString() });
}

/** No further replacement of the machine is sought. One that is on standby goes. */
export function giveUp(change: StateChange, machine: MachineRecord, why = reasonOf(change, machine)): void {
  change.unsetMachine(machine, 'replace_from');
  change.journalMachine('machine.replacement_given_up', machine, { message: why });
}

/** Why no replacement was ready in time: the last reason of its orders. */
function reasonOf({ attempts }: StateChange, machine: MachineRecord): string {
  const orders = attempts.filter(({ replaces }) => replaces?.some((key) => machineKey(key) === machineKey(machine)));
  const known = orders.flatMap(({ shortfall }) => shortfall).at(-1)?.message;
  const message = 'No replacement was ready within the time-out of the request.';
  if (known !== undefined) return `${message} ${known}`;
  return orders.length > 0 ? message : `${message} None could be ordered: no instance, slot or place was free.`;
}

const drainMs = (change: StateChange, { attempt }: MachineRecord): number => {
  const template = change.attempt(attempt)?.order.template ?? change.request.template;
  return (template?.rebalance_drain ?? defaultDrainS) * 1000;
};

const keyOf = ({ provider_instance, machine_id }: MachineRecord) => ({ provider_instance, machine_id });
