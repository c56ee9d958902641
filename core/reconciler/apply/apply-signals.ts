import type { MachineRecord } from '../../model/machine.ts';
import { isTerminal } from '../../model/request.ts';
import type { SignalRecord } from '../../model/signal.ts';
import { canRelease, sought } from '../state/attempt.ts';
import type { StateChange } from '../state/request-state.ts';
import { giveUp } from '../replacement/replace.ts';
import { targetOf } from '../state/counting.ts';
import { nameStates } from '../state/names.ts';
import { hasPlace, isAlive, isStandby } from '../state/machine-life.ts';
import { applyExtension, applyHold } from '../leases/apply-terms.ts';
import { applyNotices } from './apply-notices.ts';
import { applyReports } from './apply-reports.ts';

/** The most signals of one commit, which contains all of them together with the request. */
const mostAtOnce = 40;
/** The most machines of these signals, unless the first signal alone names more. */
const mostMachines = 500;

/**
 * Applies signals: machines to return, to keep longer or to hold, the end of the waiting, the cancellation of the
 * request, notices of the provider, and, with `finds`, machines that discovery found. A signal without an effect is marked as applied too.
 */
export function applySignals(change: StateChange, finds = true): void {
  let machines = 0;
  for (const [index, signal] of change.signals.slice(0, mostAtOnce).entries()) {
    machines += signal.machines.length;
    if (index > 0 && machines > mostMachines) return;
    if (signal.kind === 'cancel') cancel(change, signal.reason);
    else if (signal.kind === 'complete') endWaiting(change);
    else if (signal.kind === 'return') applyReturn(change, signal);
    else if (signal.kind === 'extend') applyExtension(change, signal);
    else if (signal.kind === 'hold') applyHold(change, signal);
    else if (signal.kind === 'noticed') applyNoticed(change, signal);
    else if (finds) applyFound(change, signal);
    change.apply(signal);
  }
}

function applyNoticed(change: StateChange, signal: SignalRecord): void {
  applyNotices(change, signal);
  // An ended request without work would not be claimed again when this process dies before a replacement is ordered.
  if (change.request.next_at === null) change.setRequest({ next_at: change.now });
}

function cancel(change: StateChange, reason: string | undefined): void {
  const { request, now } = change;
  if (request.cancel_requested_at !== undefined) return;
  // The signal was accepted while the request ended: the status stays, and the machines are released as promised.
  const message = isTerminal(request.status)
    ? `${request.message} Cancelled at the same time.`
    : 'Cancelling: its machines are released.';
  change.setRequest({ cancel_requested_at: now, ...(reason === undefined ? {} : { cancel_reason: reason }), message });
  for (const machine of change.machines.all())
    if (isAlive(machine) && machine.going === undefined) change.setMachine(machine, { going: 'cancelled' });
}

/** Ends the waiting like the time-out: present machines stay, incoming ones are cancelled. */
function endWaiting(change: StateChange): void {
  const { request, now } = change;
  if (isTerminal(request.status) || request.cancel_requested_at !== undefined || request.deadline_at <= now) return;
  change.setRequest({ deadline_at: now, message: 'The waiting was ended; cancelling the incoming machines.' });
}

function applyReturn(change: StateChange, { machines, return_id, expired }: SignalRecord): void {
  for (const key of machines) {
    const machine = change.machine(key);
    if (!machine) continue;
    if (!isAlive(machine)) {
      if (machine.going === undefined) change.setMachine(key, returnOfGone(change, machine));
      continue;
    }
    const declines = isStandby(machine) && (machine.going ?? 'returned') === 'returned';
    if (declines) giveUpFor(change, machine);
    change.setMachine(key, {
      ...(machine.going === undefined ? { going: 'returned' } : {}),
      ...(machine.going === undefined && expired ? { expired_at: change.now } : {}),
      ...(machine.return_id === undefined && return_id !== undefined ? { return_id } : {}),
    });
  }
}

/**
 * The machine may live although it counts as gone, so it is released when it is seen again. Nobody replaces it any
 * more: where its place is vacant, the place is returned too. Where another machine has its place, that one stays.
 */
function returnOfGone(change: StateChange, machine: MachineRecord): Partial<MachineRecord> {
  const vacant = hasPlace(machine) && isVacant(change, machine);
  return { given_up: true, ...(vacant ? { going: 'returned' } : {}) };
}

/** Whether no other machine has the place: that of its name, where it has one. */
function isVacant(change: StateChange, { assigned_name: name }: MachineRecord): boolean {
  if (targetOf(change) <= change.machines.counts().staying) return false;
  if (name === undefined) return true;
  const { held, returned } = nameStates(change);
  return !held.has(name) && !returned.has(name);
}

/** Who returns a replacement before it is used wants no other one. */
function giveUpFor(change: StateChange, { machine_id, replaces }: MachineRecord): void {
  const old = replaces && change.machine(replaces);
  if (old?.replace_from !== undefined) giveUp(change, old, `Replacement ${machine_id} was returned.`);
}

/**
 * Machines that discovery found. They are applied only to an attempt with a handle, by which they can be released; an
 * attempt without a handle is recovered first, and then reports them. A machine that was marked gone and lives is
 * released.
 */
function applyFound(change: StateChange, { found, created_at }: SignalRecord): void {
  const attempt = found && change.attempt(found.attempt);
  if (!attempt) return;
  const { provider_instance } = attempt;
  // An ended request without work would not be claimed again when this process dies before the machines are gone.
  if (change.request.next_at === null) change.setRequest({ next_at: change.now });
  // A machine that ended after discovery saw it is not reported again.
  const reports = found.reports.filter(
    ({ machine_id }) => (change.machine({ provider_instance, machine_id })?.gone_at ?? -Infinity) < created_at,
  );
  if (canRelease(attempt)) applyReports(change, attempt, reports);
  else change.moveAttempt(attempt.attempt, (each) => sought(each, change.now));
}
