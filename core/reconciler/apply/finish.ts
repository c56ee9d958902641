import type { RequestStatus } from '../../model/request.ts';
import type { Fulfilment, Shortfall } from '../../model/shortfall.ts';
import type { StateChange } from '../state/request-state.ts';
import { targetOf } from '../state/counting.ts';
import { isStaying } from '../state/machine-life.ts';
import { shortfallOf, uncounted } from './shortfall-of.ts';

/** Nothing more can come: says how the request ended, and why it has what it has. `skipped`: why offers were not asked at all. */
export function finish(change: StateChange, skipped: readonly Shortfall[] = []): void {
  const { request, now } = change;
  const status = outcome(change);
  const fulfilment = fulfilmentOf(change, skipped);
  const { staying, returned } = change.machines.counts();
  change.stopWaiting();
  change.setRequest({ status, completed_at: now, fulfilment, message: ending(change, status, fulfilment), kept_count: staying + returned });
  change.journal(`request.${status}`, { requested: request.machine_count, delivered: fulfilment.delivered });
}

/** The time is over: machines that are not ready yet are given up. */
export function expire(change: StateChange): void {
  for (const machine of change.machines.all()) {
    if (!isStaying(machine) || machine.ready_at !== undefined) continue;
    change.setMachine(machine, { status: 'failed', going: 'failed', message: 'It was not ready before the time-out of its request.' });
    change.tell('machine.failed', machine, { message: 'time-out' });
  }
}

/** All or nothing, and it was not all: from now on its machines are surplus. */
export function undo(change: StateChange): void {
  change.setRequest({ undone_at: change.now, message: 'Fewer machines could be had than were asked for; giving back those that came.' });
}

/** More machines stay than shall. */
export function trim(change: StateChange): void {
  const surplus = change.machines.counts().staying - targetOf(change);
  const staying = [...change.machines.all()].filter(isStaying).toReversed();
  // A caller may be at work on those that are ready: they go last, and the oldest last of all.
  const unready = staying.filter(({ ready_at }) => ready_at === undefined);
  const ready = staying.filter(({ ready_at }) => ready_at !== undefined);
  for (const machine of [...unready, ...ready].slice(0, surplus)) change.setMachine(machine, { going: 'surplus' });
}

function outcome(change: StateChange): RequestStatus {
  const { request } = change;
  const { delivered } = change.machines.counts();
  if (request.cancel_requested_at !== undefined) return 'cancelled';
  return delivered === 0 || request.undone_at !== undefined ? 'failed' : 'completed';
}

function fulfilmentOf({ request, attempts, machines, now }: StateChange, skipped: readonly Shortfall[]): Fulfilment {
  const { machine_count: requested, undone_at } = request;
  const { delivered } = machines.counts();
  if (delivered >= requested && undone_at === undefined) return { requested, delivered, final: true, shortfall: [] };
  // What others were told of an offer says nothing of how many machines it cost this request.
  const beside: Shortfall[] = skipped.map(uncounted);
  if (attempts.length === 0 && skipped.length === 0 && now < request.deadline_at)
    beside.push({ kind: 'invalid', code: 'NO_PROVIDER', message: 'No configured provider instance can serve the template.' });
  const failed = [...machines.all()].filter((machine) => machine.going === 'failed');
  if (failed.length > 0) {
    const message = failed[0]?.message ?? 'Machines never became ready.';
    beside.push({ kind: 'unavailable', code: 'MACHINE_FAILED', message, count: failed.length });
  }
  if (now >= request.deadline_at) {
    const seconds = Math.round((request.deadline_at - request.created_at - (request.moved_ms ?? 0)) / 1000);
    beside.push({ kind: 'unavailable', code: 'TIMEOUT', message: `The time-out of ${seconds} s passed.` });
  }
  const told = attempts.map((attempt) => attempt.shortfall);
  return { requested, delivered, final: true, shortfall: [...shortfallOf(told, beside, Math.max(0, requested - delivered))] };
}

function ending({ request }: StateChange, status: RequestStatus, { requested, delivered, shortfall }: Fulfilment): string {
  if (status === 'cancelled') return `Cancelled; ${delivered} of ${requested} machines had been delivered.`;
  // Of many offers the same is said often.
  const why = [...new Set(shortfall.map((each) => each.message))].join(' ');
  if (request.undone_at !== undefined)
    return `Not all of ${requested} machines could be had at once; those that came were given back.${why ? ` ${why}` : ''}`;
  return `${delivered} of ${requested} machines delivered.${why ? ` ${why}` : ''}`;
}
