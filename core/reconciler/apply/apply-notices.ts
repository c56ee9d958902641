import type { Notice } from '../../contract/notice.ts';
import type { MachineRecord } from '../../model/machine.ts';
import type { SignalRecord } from '../../model/signal.ts';
import type { StateChange } from '../state/request-state.ts';
import { isNews } from './notice-standing.ts';

/**
 * Applies notices of the provider about machines of the request. A notice that tells nothing new has no effect. A
 * notice of a state is never believed by itself: it makes an observation due, whose answer is stored.
 */
export function applyNotices(change: StateChange, { machines, noticed = [] }: SignalRecord): void {
  for (const [index, notice] of noticed.entries()) {
    const key = machines[index];
    const machine = key && change.machine(key);
    if (machine && isNews(notice, machine, change.now)) applyNotice(change, machine, notice);
  }
}

function applyNotice(change: StateChange, machine: MachineRecord, notice: Notice): void {
  const { kind } = notice;
  const message = notice.message === undefined ? {} : { message: notice.message };
  if (kind === 'state') {
    change.announceEnd({ machine, status: notice.status });
    // A crash must not delay the observation.
    if (change.request.next_at === null || change.request.next_at > change.now)
      change.setRequest({ next_at: change.now });
    return;
  }
  if (kind === 'rebalance') {
    const policy =
      change.attempt(machine.attempt)?.order.template.on_rebalance ??
      change.request.template?.on_rebalance ??
      'report';
    if (policy === 'ignore') return;
    change.setMachine(machine, { rebalance_at: notice.at, ...message });
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
