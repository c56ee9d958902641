import { Type } from 'typebox';
import type { MachineRecord } from '../machine.ts';

/** The bounds of a lease, of an extension and of a hold, in seconds. */
export const leastLeaseS = 60;
export const mostLeaseS = 31_536_000;

/** The field `lease` of requests and templates. */
export const leaseField = Type.Integer({
  minimum: leastLeaseS,
  maximum: mostLeaseS,
  description:
    'Seconds from its readiness after which muster returns a machine. Absent: no machine is returned by time.',
});

/** How long before the end of a lease it is announced, unless half of the lease is shorter. */
const longestNoticeMs = 600_000;

export type LeasedMachine = Pick<MachineRecord, 'lease_s' | 'expires_at' | 'held_until' | 'expiry_told'>;

/** When the lease of a machine ends, a hold included. Infinity: it has no lease, or is not ready yet. */
export const leaseEnd = ({ expires_at = Infinity, held_until = 0 }: LeasedMachine): number =>
  Math.max(expires_at, held_until);

/** When the end of the lease is announced. */
export const noticeAt = (machine: LeasedMachine): number =>
  leaseEnd(machine) - Math.min(longestNoticeMs, (machine.lease_s ?? Infinity) * 500);

/** Whether a caller keeps the machine from being returned. */
export const isHeld = ({ held_until = 0 }: LeasedMachine, now: number): boolean => held_until > now;
