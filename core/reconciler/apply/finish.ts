import { isHeld } from '../../model/leases/lease.ts';
import type { EndStatus } from '../../model/request.ts';
import type { Fulfilment, Shortfall } from '../../model/shortfall.ts';
import type { StateChange } from '../state/request-state.ts';
import { targetOf } from '../state/counting.ts';
import { hasPlace, isStaying } from '../state/machine-life.ts';
import { waitingEnd } from '../state/waiting-end.ts';
import { fellBack } from './fell-back.ts';
import { shortfallOf, uncounted } from './shortfall-of.ts';

/**
 * No further machine can arrive: sets the final status, and the reasons for missing machines. `skipped`: why offers
 * were not used at all.
 */
export function finish(change: StateChange, skipped: readonly Shortfall[] = []): void {
  const { request, now } = change;
  const status = outcome(change);
  const fulfilment = fulfilmentOf(change, skipped);
  const { staying, returned } = change.machines.counts();
  change.stopWaiting();
  change.setRequest({
    status,
    completed_at: now,
    fulfilment,
    message: ending(change, status, fulfilment),
    kept_count: staying + returned,
  });
  change.journal(`request.${status}`, { requested: request.machine_count, delivered: fulfilment.delivered });
}

/** The time-out has passed, or a caller ended the waiting: machines that are not ready yet are released. */
export function expire(change: StateChange): void {
  const { by_caller } = waitingEnd(change.request);
  const end = by_caller ? 'a caller ended the waiting' : 'the time-out of its request';
  for (const machine of change.machines.all()) {
    if (!isStaying(machine) || !hasPlace(machine) || machine.ready_at !== undefined) continue;
    change.setMachine(machine, {
      status: 'failed',
      going: 'failed',
      message: `It was not ready before ${end}.`,
    });
    change.journalMachine('machine.failed', machine, { message: by_caller ? 'waiting ended' : 'time-out' });
  }
}

/** An all-or-nothing request did not get all machines: from now on its machines are surplus. */
export function undo(change: StateChange): void {
  change.setRequest({
    undone_at: change.now,
    message: 'Fewer machines were available than requested; releasing those that arrived.',
  });
}

/** Marks the machines beyond the target as surplus. */
export function trim(change: StateChange): void {
  const surplus = change.machines.counts().staying - targetOf(change);
  const staying = [...change.machines.all()].filter((each) => isStaying(each) && hasPlace(each)).toReversed();
  // Ready machines may be in use, so they are released last, the oldest one last of all.
  const unready = staying.filter(({ ready_at }) => ready_at === undefined);
  // A machine that a caller holds goes last.
  const ready = staying
    .filter(({ ready_at }) => ready_at !== undefined)
    .toSorted((a, b) => Number(isHeld(a, change.now)) - Number(isHeld(b, change.now)));
  for (const machine of [...unready, ...ready].slice(0, surplus)) change.setMachine(machine, { going: 'surplus' });
}

function outcome(change: StateChange): EndStatus {
  const { request } = change;
  const { delivered } = change.machines.counts();
  if (request.cancel_requested_at !== undefined) return 'cancelled';
  return delivered === 0 || request.undone_at !== undefined ? 'failed' : 'completed';
}

function fulfilmentOf({ request, attempts, machines, now }: StateChange, skipped: readonly Shortfall[]): Fulfilment {
  const { machine_count: requested, undone_at } = request;
  const { delivered } = machines.counts();
  if (delivered >= requested && undone_at === undefined) return { requested, delivered, final: true, shortfall: [] };
  // What other requests learned about an offer does not account for missing machines of this request.
  const additional: Shortfall[] = skipped.map(uncounted);
  const isEarly = now < request.deadline_at && request.cancel_requested_at === undefined;
  if (attempts.length === 0 && skipped.length === 0 && isEarly)
    additional.push({
      kind: 'invalid',
      code: 'NO_PROVIDER',
      message: 'No configured provider instance can serve the template.',
    });
  // Replacements are not among the requested machines.
  const failed = [...machines.all()].filter(({ going, replaces }) => going === 'failed' && replaces === undefined);
  if (failed.length > 0) {
    const message = failed[0]?.message ?? 'Machines never became ready.';
    additional.push({ kind: 'unavailable', code: 'MACHINE_FAILED', message, count: failed.length });
  }
  if (now >= request.deadline_at) {
    const { seconds, by_caller } = waitingEnd(request);
    const message = by_caller
      ? `A caller ended the waiting after ${seconds} s.`
      : `The time-out of ${seconds} s passed.`;
    additional.push({ kind: 'unavailable', code: 'TIMEOUT', message });
  }
  const reported = attempts.flatMap(({ replaces, shortfall }) => (replaces === undefined ? [shortfall] : []));
  return {
    requested,
    delivered,
    final: true,
    shortfall: [...shortfallOf(reported, additional, Math.max(0, requested - delivered))],
  };
}

function ending(
  { request, attempts, machines }: StateChange,
  status: EndStatus,
  { requested, delivered, shortfall }: Fulfilment,
): string {
  if (status === 'cancelled') return `Cancelled; ${delivered} of ${requested} machines had been delivered.`;
  // Many offers often give the same reason.
  const reasons = [...new Set(shortfall.map((each) => each.message))];
  const why = reasons.join(' ');
  if (request.undone_at !== undefined)
    return `Not all of the ${requested} machines were available; those that arrived were released.${why ? ` ${why}` : ''}`;
  const elsewhere = fellBack(request, attempts, machines.all(), reasons);
  return [`${delivered} of ${requested} machines delivered.`, elsewhere, why].filter((each) => each !== '').join(' ');
}
