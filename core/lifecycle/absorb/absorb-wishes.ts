import { isTerminal } from '../../model/request.ts';
import type { Draft } from '../case.ts';
import type { WishRecord } from '../../model/wish.ts';
import { isAlive, isStaying } from '../counting.ts';
import { absorbReports } from './absorb-reports.ts';

/** Takes in what callers want: machines to go back, or the end of the waiting or of the request. A wish that has nothing left to ask for is absorbed all the same. */
export function absorbWishes(draft: Draft): void {
  for (const wish of draft.wishes) {
    if (wish.kind === 'cancel') cancel(draft, wish.reason);
    else if (wish.kind === 'complete') endWaiting(draft);
    else if (wish.kind === 'found') find(draft, wish);
    else giveBack(draft, wish.machines, wish.return_id);
    draft.absorb(wish);
  }
}

function cancel(draft: Draft, reason: string | undefined): void {
  const { request, now } = draft;
  if (request.cancel_requested_at !== undefined) return;
  // Accepted in the very moment in which the request ended: the status stays, and the machines go all the same, as was promised.
  const message = isTerminal(request.status)
    ? `${request.message} Cancelled in the same moment.`
    : 'Cancelling: its machines are given back.';
  draft.setRequest({ cancel_requested_at: now, ...(reason === undefined ? {} : { cancel_reason: reason }), wanted: 0, message });
  for (const machine of draft.machines)
    if (isAlive(machine) && machine.going === undefined) draft.setMachine(machine, { going: 'cancelled' });
}

/** As if the time-out had come: what is there stays, what is still to come is given up. */
function endWaiting(draft: Draft): void {
  const { request, now } = draft;
  if (isTerminal(request.status) || request.cancel_requested_at !== undefined || request.deadline_at <= now) return;
  draft.setRequest({ deadline_at: now, message: 'The waiting was ended; giving up what is still to come.' });
}

function giveBack(draft: Draft, keys: readonly { provider_instance: string; machine_id: string }[], return_id: string | undefined): void {
  for (const key of keys) {
    const machine = draft.machine(key);
    if (!machine || !isAlive(machine)) continue;
    // A machine of a running request is wanted no more: it is never refilled.
    if (isStaying(machine)) draft.setRequest({ wanted: Math.max(0, draft.request.wanted - 1) });
    draft.setMachine(key, {
      ...(machine.going === undefined ? { going: 'returned' } : {}),
      ...(machine.return_id === undefined && return_id !== undefined ? { return_id } : {}),
    });
  }
}

/** Machines that the sweep saw: those that nobody knew are taken in like any other; one that was given up as gone, and is not, has to go after all. */
function find(draft: Draft, { found }: WishRecord): void {
  const attempt = found && draft.attempt(found.attempt);
  if (!attempt) return;
  const { provider_instance } = attempt;
  for (const { machine_id } of found.reports) {
    const known = draft.machine({ provider_instance, machine_id });
    if (!known || isAlive(known)) continue;
    const { gone_at: _gone, released_at: _released, ...rest } = known;
    draft.putMachine({ ...rest, misses: 0, going: known.going ?? 'late' });
  }
  absorbReports(draft, attempt, found.reports);
}
