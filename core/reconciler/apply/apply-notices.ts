import type { Notice } from '../../contract/notice.ts';
import type { MachineKey, MachineRecord } from '../../model/machine.ts';
import type { SignalRecord } from '../../model/signal.ts';
import type { StateChange } from '../state/request-state.ts';
import { changeOf, isNews, isTold, withNotice, type Announced } from './announcements.ts';
import { asMoved } from '../clock-shift/shift-times.ts';

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
  const message = notice.message === undefined ? {} : { message: notice.message };
  if (notice.kind === 'state') {
    change.announceEnd({ machine, status: notice.status });
    // A crash must not delay the observation.
    if (change.request.next_at === null || change.request.next_at > change.now)
      change.setRequest({ next_at: change.now });
    return;
  }
  const attempt = change.attempt(machine.attempt);
  const policy = attempt?.order.template.on_rebalance ?? change.request.template?.on_rebalance ?? 'report';
  if (notice.kind === 'rebalance' && policy === 'ignore') return;
  setAnnounced(change, machine, withNotice(machine, notice, change.now));
  if (notice.kind === 'rebalance') {
    if (machine.rebalance_at !== undefined) return;
    // Two machines never have one name, so the successor of a machine with a name is ordered when that one is gone.
    if (policy === 'replace' && machine.assigned_name === undefined)
      change.setMachine(machine, { replace_from: change.now, ...asMoved(change) });
    change.journalMachine('machine.rebalance_recommended', machine, { policy, ...message });
    return;
  }
  const what = changeOf(machine, change.machine(machine) ?? machine, notice, change.now);
  if (what === 'announced' && notice.reclaim_at) tellReclaim(change, machine, notice.reclaim_at, message);
  if (what === 'withdrawn') {
    change.unsetMachine(machine, 'reclaim_told');
    change.journalMachine('machine.reclaim_withdrawn', machine, message);
  }
}

/** Tells a reclaim in the journal, unless that is done: notices and observations come in any order, and again. */
export function tellReclaim(change: StateChange, key: MachineKey, reclaim_at: string, more: object = {}): void {
  const machine = change.machine(key);
  if (!machine || isTold(machine, reclaim_at)) return;
  change.setMachine(key, { reclaim_told: reclaim_at });
  change.journalMachine('machine.reclaim_noticed', key, { reclaim_at, ...more });
}

const fields = ['announced', 'reclaim_at', 'rebalance_at', 'message'] as const;

/** Stores the announcements about a machine and what follows from them. */
export function setAnnounced(change: StateChange, key: MachineKey, announced: Announced): void {
  change.setMachine(key, announced);
  change.unsetMachine(key, ...fields.filter((field) => announced[field] === undefined));
}
