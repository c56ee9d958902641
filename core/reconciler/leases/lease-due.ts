import { leaseEnd, noticeAt } from '../../model/leases/lease.ts';
import type { MachineRecord } from '../../model/machine.ts';

/** When the end of the lease of a machine must be announced, or when it ends. Infinity: nothing of that. */
export function leaseDue(machine: MachineRecord): number {
  const { expires_at, gone_at, going, expiry_told } = machine;
  if (expires_at === undefined || gone_at !== undefined || going !== undefined) return Infinity;
  return expiry_told ? leaseEnd(machine) : noticeAt(machine);
}

/** Whether the lease of a living machine ended. */
export const hasExpired = (machine: MachineRecord, now: number): boolean =>
  leaseDue(machine) < Infinity && leaseEnd(machine) <= now;

/** Times of leases are rounded up to multiples of this, so that what ends at about the same time ends together. */
export const onTick = (time: number, tick_ms: number): number => Math.ceil(time / tick_ms) * tick_ms;
