import type { Notice } from '../../contract/notice.ts';
import type { MachineRecord } from '../../model/machine.ts';
import type { SignalRecord } from '../../model/signal.ts';
import type { StateChange } from '../state/request-state.ts';
import { applyReports } from './apply-reports.ts';
import { isNews } from './notice-standing.ts';
import { asMoved } from '../clock-shift/shift-times.ts';

/** Applies notices of the provider about machines of the request. A notice that tells nothing new has no effect. */
export function applyNotices(change: StateChange, { machines, noticed = [] }: SignalRecord): void {
  for (const [index, notice] of noticed.entries()) {
    const key = machines[index];
    const machine = key && change.machine(key);
    if (machine && isNews(notice, machine, change.now)) applyNotice(change, machine, notice);
  }
}

function applyNotice(change: StateChange, machine: MachineRecord, notice: Notice): void {
  const { machine_id, kind } = notice;
  const message = notice.message === undefined ? {} : { message: notice.message };
  const attempt = change.attempt(machine.attempt);
  if (kind === 'state') {
    if (attempt) applyReports(change, attempt, [{ machine_id, status: notice.status, ready: false, ...message }]);
    return;
  }
  if (kind === 'rebalance') {
    const policy = attempt?.order.template.on_rebalance ?? change.request.template?.on_rebalance ?? 'report';
    if (policy === 'ignore') return;
    change.setMachine(machine, { rebalance_at: notice.at, ...message });
    if (policy === 'replace') change.setMachine(machine, { replace_from: change.now, ...asMoved(change) });
    change.journalMachine('machine.rebalance_recommended', machine, { policy, ...message });
    return;
  }
  if (notice.reclaim_at === null) {
    change.unsetMachine(machine, 'reclaim_at', 'reclaim_noticed');
    change.journalMachine('machine.reclaim_withdrawn', machine, message);
    return;
  }
  const { reclaim_at } = notice;
  change.setMachine(machine, { reclaim_at, reclaim_noticed: true, ...message });
  change.journalMachine('machine.reclaim_noticed', machine, { reclaim_at, ...message });
}
