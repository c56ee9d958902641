import { isTerminal } from '../../model/request.ts';
import type { SignalRecord } from '../../model/signal.ts';
import { canRelease, sought } from '../state/attempt.ts';
import type { StateChange } from '../state/request-state.ts';
import { isAlive } from '../state/machine-life.ts';
import { applyReports } from './apply-reports.ts';

/** So many in one commit: all of them stand in it together with the request. */
const mostAtOnce = 40;
/** And no more machines, if it is more than one signal that names them. */
const mostMachines = 500;

/**
 * Takes in what callers want: machines to go back, or the end of the waiting or of the request. A signal that has nothing left to ask for is applied all the
 * same. `finds`: machines that the sweep found are taken in too.
 */
export function applySignals(change: StateChange, finds = true): void {
  let machines = 0;
  for (const [index, signal] of change.signals.slice(0, mostAtOnce).entries()) {
    machines += signal.machines.length;
    if (index > 0 && machines > mostMachines) return;
    if (signal.kind === 'cancel') cancel(change, signal.reason);
    else if (signal.kind === 'complete') endWaiting(change);
    else if (signal.kind === 'return') giveBack(change, signal.machines, signal.return_id);
    else if (finds) find(change, signal);
    change.apply(signal);
  }
}

function cancel(change: StateChange, reason: string | undefined): void {
  const { request, now } = change;
  if (request.cancel_requested_at !== undefined) return;
  // Accepted in the very moment in which the request ended: the status stays, and the machines go all the same, as was promised.
  const message = isTerminal(request.status)
    ? `${request.message} Cancelled in the same moment.`
    : 'Cancelling: its machines are given back.';
  change.setRequest({ cancel_requested_at: now, ...(reason === undefined ? {} : { cancel_reason: reason }), message });
  for (const machine of change.machines.all())
    if (isAlive(machine) && machine.going === undefined) change.setMachine(machine, { going: 'cancelled' });
}

/** As if the time-out had come: what is there stays, what is still to come is given up. */
function endWaiting(change: StateChange): void {
  const { request, now } = change;
  if (isTerminal(request.status) || request.cancel_requested_at !== undefined || request.deadline_at <= now) return;
  change.setRequest({ deadline_at: now, message: 'The waiting was ended; giving up what is still to come.' });
}

function giveBack(
  change: StateChange,
  keys: readonly { provider_instance: string; machine_id: string }[],
  return_id: string | undefined,
): void {
  for (const key of keys) {
    const machine = change.machine(key);
    if (!machine) continue;
    if (!isAlive(machine)) {
      // It may be taken for gone wrongly.
      if (machine.going === undefined) change.setMachine(key, { given_up: true });
      continue;
    }
    change.setMachine(key, {
      ...(machine.going === undefined ? { going: 'returned' } : {}),
      ...(machine.return_id === undefined && return_id !== undefined ? { return_id } : {}),
    });
  }
}

/**
 * Machines that the sweep saw. They are taken in only where they can be released too: an attempt without a handle is looked for first, and what it has is
 * reported then. One that was given up as gone, and is not, has to go after all.
 */
function find(change: StateChange, { found, created_at }: SignalRecord): void {
  const attempt = found && change.attempt(found.attempt);
  if (!attempt) return;
  const { provider_instance } = attempt;
  // What ended after the sweep saw it says nothing by having been seen.
  const reports = found.reports.filter(
    ({ machine_id }) => (change.machine({ provider_instance, machine_id })?.gone_at ?? -Infinity) < created_at,
  );
  if (canRelease(attempt)) applyReports(change, attempt, reports);
  else change.moveAttempt(attempt.attempt, (each) => sought(each, change.now));
}
