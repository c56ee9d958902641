import { machineKey, type MachineKey, type MachineRecord } from '../../model/machine.ts';
import type { SignalRecord } from '../../model/signal.ts';
import { asMoved } from '../clock-shift/shift-times.ts';
import { isAlive } from '../state/machine-life.ts';
import type { StateChange } from '../state/request-state.ts';

/**
 * Extends leases. A machine records which waiting signals it follows: applying one again, after a crash between two
 * parts of the change, has no effect. The extension of a machine that was replaced meanwhile is that of its
 * replacement.
 */
export function applyExtension(change: StateChange, { signal_id, machines, seconds = 0 }: SignalRecord): void {
  for (const key of machines) {
    const chain = successionOf(change, key);
    const machine = chain.at(-1);
    if (!machine || !isAlive(machine) || machine.going !== undefined || machine.expires_at === undefined) continue;
    if (chain.some(({ extended_by }) => extended_by?.includes(signal_id))) continue;
    const waiting = (machine.extended_by ?? []).filter((id) => change.isNews(id));
    change.setMachine(machine, {
      expires_at: machine.expires_at + seconds * 1000,
      extended_by: [...waiting, signal_id],
    });
    change.unsetMachine(machine, 'expiry_told');
  }
}

/** Holds machines until some seconds after the call, or ends their hold. The last call counts. */
export function applyHold(
  change: StateChange,
  { machines, seconds = 0, reason, terms = 0, created_at }: SignalRecord,
): void {
  for (const key of machines) {
    const machine = change.machine(key);
    if (!machine || !isAlive(machine) || machine.going !== undefined) continue;
    if ((machine.hold_terms ?? 0) >= terms) continue;
    const held_until = created_at + seconds * 1000;
    if (seconds === 0) change.unsetMachine(machine, 'held_until', 'hold_reason');
    change.setMachine(machine, {
      hold_terms: terms,
      ...(seconds === 0 ? {} : { held_until, hold_reason: reason ?? '', ...asMoved(change) }),
    });
    change.unsetMachine(machine, 'expiry_told');
  }
}

/** The machine and those that replaced it, one after another. */
function successionOf(change: StateChange, key: MachineKey): readonly MachineRecord[] {
  const chain: MachineRecord[] = [];
  const seen = new Set<string>();
  for (let next: MachineKey | undefined = key; next && !seen.has(machineKey(next)); ) {
    seen.add(machineKey(next));
    const machine = change.machine(next);
    if (machine) chain.push(machine);
    next = machine?.replaced_by;
  }
  return chain;
}
