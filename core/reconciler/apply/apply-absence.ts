import type { MachineRecord } from '../../model/machine.ts';
import type { MachineReport } from '../../contract/provider/orders-and-reports.ts';
import type { StateChange } from '../state/request-state.ts';
import { isAlive } from '../state/machine-life.ts';
import type { Settings } from '../settings.ts';
import { endMachine } from './apply-reports.ts';
import { asMoved } from '../clock-shift/shift-times.ts';

/** A complete answer of a provider: whether it listed any known machine, and the zones of these machines. */
export interface Listed {
  readonly any: boolean;
  readonly zones: ReadonlySet<string>;
}

/** What an answer says about absence, and when it was asked for, in the time of the change. */
export interface AbsenceProof {
  readonly reports: readonly MachineReport[];
  readonly listed: Listed;
  readonly asked_at: number;
}

/**
 * Applies the absence of requested machines from an answer. Absence alone does not prove that a machine is gone,
 * because the answers of clouds are not consistent: an answer that lists no machine of an instance, or of a zone,
 * proves nothing about that instance or zone. A machine is gone when answers that listed other machines lacked it for
 * `absence_ms`, and `visibleWithinMs` had passed since its launch when the last of them was asked for: it may have
 * appeared before the answer is applied. A machine whose release the provider accepted is gone when two answers in a
 * row lack it.
 */
export function applyAbsence(
  change: StateChange,
  requested: readonly MachineRecord[],
  { reports, listed, asked_at }: AbsenceProof,
  visibleWithinMs: number,
  settings: Settings,
): void {
  const seen = new Set(reports.map((report) => report.machine_id));
  for (const each of requested) {
    const machine = change.machine(each);
    if (!machine || !isAlive(machine) || seen.has(machine.machine_id)) continue;
    const released = machine.released_at !== undefined;
    if (!released && !isConclusive(listed, machine)) continue;
    if (machine.missing_since === undefined) {
      change.setMachine(machine, { missing_since: change.now, ...asMoved(change) });
      continue;
    }
    const old = asked_at - bornAt(machine, change.now) > visibleWithinMs;
    if (old && (released || asked_at - machine.missing_since >= settings.absence_ms))
      endMachine(change, machine, machine.message ?? 'It is no longer known to the provider.');
  }
}

const isConclusive = ({ any, zones }: Listed, { zone }: MachineRecord): boolean =>
  any && (zone === undefined || zones.has(zone));

/** The launch time of a machine. Ignores times in the future, which were written before the clock was set back. */
function bornAt({ launched_at, created_at }: MachineRecord, now: number): number {
  const moments = [created_at, launched_at === undefined ? Number.NaN : Date.parse(launched_at)];
  return Math.max(-Infinity, ...moments.filter((moment) => moment <= now));
}
