import { leaseEnd, noticeAt } from '../../model/leases/lease.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { asMoved } from '../clock-shift/shift-times.ts';
import type { StateChange } from '../state/request-state.ts';
import { leaseDue } from './lease-due.ts';

type Lease = Partial<Pick<MachineRecord, 'lease_s' | 'expires_at' | 'shifted_ms'>>;

/**
 * The lease of a machine that becomes ready: that of the request, else of the template that was ordered. A machine
 * that was ordered to replace another one has the lease of that one instead, from when it takes its place.
 */
export function newLease(change: StateChange, { attempt, replaces }: MachineRecord): Lease {
  const { lease_s = change.attempt(attempt)?.order.template.lease } = change.request;
  if (lease_s === undefined || replaces !== undefined) return {};
  return { lease_s, expires_at: change.now + lease_s * 1000, ...asMoved(change) };
}

/** The lease that a replacement inherits. */
export const leaseOf = ({ lease_s, expires_at }: MachineRecord): Lease => ({
  ...(lease_s === undefined ? {} : { lease_s }),
  ...(expires_at === undefined ? {} : { expires_at }),
});

/** The most machines of one change. */
const mostAtOnce = 500;

/** Announces the leases that end soon. */
export function announceEnds(change: StateChange): void {
  let told = 0;
  for (const machine of change.machines.all()) {
    if (told === mostAtOnce) return;
    if (machine.expiry_told || leaseDue(machine) === Infinity || noticeAt(machine) > change.now) continue;
    // A lease that ended, for example while no broker ran, is not announced any more.
    const isOver = leaseEnd(machine) <= change.now;
    change.setMachine(machine, { expiry_told: true });
    if (!isOver)
      change.journalMachine('machine.expiring', machine, { expires_at: new Date(leaseEnd(machine)).toISOString() });
    told += 1;
  }
}
