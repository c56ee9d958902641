import type { MachineRecord } from '../../model/machine.ts';
import type { MachineReport } from '../../contract/provider.ts';
import type { StateChange } from '../state/request-state.ts';
import { isAlive } from '../state/machine-life.ts';
import type { Settings } from '../settings.ts';
import { endMachine } from './apply-reports.ts';
import { asMoved } from './shift-times.ts';

/** An answer as a whole: of which machines that were known it listed any. */
export interface Listed {
  readonly any: boolean;
  readonly zones: ReadonlySet<string>;
}

/**
 * Machines that were asked about and that an answer does not list. Absence is not death: answers of a cloud flap, and one that lists nothing of an instance, or of a
 * zone, says nothing of what is there. A machine is gone when answers that did list others lacked it for `absence_ms` and it must have become
 * visible long ago (`visibleWithinMs` after its launch). One whose release the provider accepted is gone when two answers in a row lack it.
 */
export function applyAbsence(
  change: StateChange,
  asked: readonly MachineRecord[],
  reports: readonly MachineReport[],
  listed: Listed,
  visibleWithinMs: number,
  settings: Settings,
): void {
  const seen = new Set(reports.map((report) => report.machine_id));
  for (const each of asked) {
    const machine = change.machine(each);
    if (!machine || !isAlive(machine) || seen.has(machine.machine_id)) continue;
    const released = machine.released_at !== undefined;
    if (!released && !saysSomething(listed, machine)) continue;
    if (machine.missing_since === undefined) {
      change.setMachine(machine, { missing_since: change.now, ...asMoved(change) });
      continue;
    }
    const old = change.now - bornAt(machine, change.now) > visibleWithinMs;
    if (old && (released || change.now - machine.missing_since >= settings.absence_ms))
      endMachine(change, machine, machine.message ?? 'It is no longer known to the provider.');
  }
}

const saysSomething = ({ any, zones }: Listed, { zone }: MachineRecord): boolean => any && (zone === undefined || zones.has(zone));

/** When it was launched, as far as that is sure: a moment that lies ahead was written before the clock was set back. */
function bornAt({ launched_at, created_at }: MachineRecord, now: number): number {
  const moments = [created_at, launched_at === undefined ? Number.NaN : Date.parse(launched_at)];
  return Math.max(-Infinity, ...moments.filter((moment) => moment <= now));
}
