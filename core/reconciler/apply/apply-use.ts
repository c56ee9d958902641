import type { MachineReport } from '../../contract/provider/orders-and-reports.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { asMoved } from '../clock-shift/shift-times.ts';
import type { StateChange } from '../state/request-state.ts';
import { isEnding } from '../state/machine-life.ts';

/**
 * Sets from when and until when a machine was used, by the dates of the provider: `used_from` at the first report with
 * a launch, `used_until` at the first one with an end. `before`: the machine before the report was applied.
 *
 * The clocks of the provider and of this host differ. So the length of the use is a difference of two times of the
 * provider, and only the start is compared with a time of this host.
 */
export function applyUse(change: StateChange, before: MachineRecord, report: MachineReport): void {
  const { launched_at, ended_at, status } = report;
  if (before.used_from === undefined || (before.launched_at === undefined && launched_at !== undefined))
    change.setMachine(before, { used_from: usedFrom(before, launched_at), ...asMoved(change) });
  if (!isEnding(status)) change.unsetMachine(before, 'used_until');
  const { used_from, used_until } = change.machine(before) ?? before;
  if (!isEnding(status) || ended_at === undefined || used_from === undefined || used_until !== undefined) return;
  const launched = Date.parse(launched_at ?? before.launched_at ?? '');
  // A machine that was stopped and started has a later launch, with which its use did not begin.
  if (!(Math.abs(used_from - launched) < longestStartMs)) return;
  const until = used_from + Date.parse(ended_at) - launched;
  if (until >= used_from && until < change.now + longestStartMs) change.setMachine(before, { used_until: until });
}

/** A launch that the provider dates shortly before the first report; else the time of that report. */
function usedFrom({ created_at }: MachineRecord, launched_at: string | undefined): number {
  const launched = launched_at === undefined ? Number.NaN : Date.parse(launched_at);
  return Math.abs(created_at - launched) < longestStartMs ? launched : created_at;
}

const longestStartMs = 600_000;
