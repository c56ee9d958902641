import type { AttemptRecord } from '../../model/attempt.ts';
import type { MachineRecord } from '../../model/machine.ts';
import { isTerminal } from '../../model/request.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import type { MachineReport } from '../../provider.ts';
import type { Draft } from '../case.ts';
import { isAlive, isEnding, isStaying, tally } from '../counting.ts';
import type { Settings } from '../settings.ts';

/** Takes in what a provider says of the machines of one attempt. Machines that nobody knew are adopted, or wanted gone when they come too late. */
export function absorbReports(draft: Draft, attempt: AttemptRecord, reports: readonly MachineReport[]): void {
  for (const report of reports) {
    const known = draft.machine({ provider_instance: attempt.provider_instance, machine_id: report.machine_id });
    if (known) refresh(draft, known, report);
  }
  const unknown = reports.filter(
    ({ machine_id }) => draft.machine({ provider_instance: attempt.provider_instance, machine_id }) === undefined,
  );
  let room = unknown.length > 0 ? draft.request.wanted - tally(draft).staying : 0;
  for (const report of unknown) if (adopt(draft, attempt, report, room)) room -= 1;
}

/**
 * Known machines that were not listed. One absence proves nothing: a cloud's answers flap. A machine is gone after two misses in a row, and
 * not before it must have become visible.
 */
export function absorbMisses(draft: Draft, attempt: AttemptRecord, reports: readonly MachineReport[], visibleWithinMs: number): void {
  const listed = new Set(reports.map((report) => report.machine_id));
  for (const machine of draft.machines) {
    if (machine.attempt !== attempt.attempt || !isAlive(machine) || listed.has(machine.machine_id)) continue;
    const misses = machine.misses + 1;
    const old = draft.now - bornAt(machine) > visibleWithinMs;
    if (misses >= 2 && old)
      end(draft, machine, { status: 'terminated', message: machine.message ?? 'It is no longer known to the provider.' });
    else draft.setMachine(machine, { misses });
  }
}

/** Adds what an answer says about machines that did not come; the same sentence twice is one. */
export function absorbShortfall(draft: Draft, attempt: AttemptRecord, shortfall: readonly Shortfall[] | undefined): void {
  if (!shortfall || shortfall.length === 0) return;
  const merged = new Map(
    [...(draft.attempt(attempt.attempt)?.shortfall ?? []), ...shortfall].map((each) => [`${each.offer}|${each.kind}|${each.code}`, each]),
  );
  draft.setAttempt(attempt.attempt, { shortfall: [...merged.values()] });
}

/** Machines that came up too slowly have failed: they are released and count as missing. */
export function absorbSlowness(draft: Draft, settings: Settings): void {
  for (const machine of draft.machines) {
    if (!isAlive(machine) || machine.going !== undefined || machine.ready_at !== undefined) continue;
    if (draft.now - machine.created_at < settings.pending_timeout_ms) continue;
    const message = `It was not ready ${Math.round(settings.pending_timeout_ms / 1000)} s after its launch.`;
    draft.setMachine(machine, { status: 'failed', going: 'failed', message });
    draft.tell('machine.failed', machine, { message });
  }
}

/** Returns whether it takes one of the places that are left. */
function adopt(draft: Draft, attempt: AttemptRecord, report: MachineReport, room: number): boolean {
  const { request, now } = draft;
  const machine: MachineRecord = {
    provider_instance: attempt.provider_instance,
    machine_id: report.machine_id,
    request_id: request.request_id,
    attempt: attempt.attempt,
    template_id: request.template_id ?? '',
    status: 'pending',
    created_at: now,
    misses: 0,
  };
  draft.putMachine(machine);
  if (request.cancel_requested_at !== undefined) draft.setMachine(machine, { going: 'cancelled' });
  else if (attempt.state === 'lost' || (isTerminal(request.status) && !keepsFleetWhole(draft)))
    draft.setMachine(machine, { going: 'late' });
  else if (room <= 0) draft.setMachine(machine, { going: 'surplus' });
  const present = draft.machine(machine) ?? machine;
  if (present.going === undefined) draft.tell('machine.launched', machine);
  else draft.tell('machine.unwanted', machine, { why: present.going });
  refresh(draft, present, report);
  const absorbed = draft.machine(machine);
  // One that had come and gone before anybody heard of it takes no place: whoever came instead shall stay.
  return absorbed !== undefined && isStaying(absorbed);
}

/** A fleet that replaces what was lost may go on doing so after the request completed. */
const keepsFleetWhole = (draft: Draft): boolean => draft.request.status === 'completed' && draft.request.template?.replace_lost === true;

function refresh(draft: Draft, machine: MachineRecord, report: MachineReport): void {
  const { status, name, private_ip, public_ip, launched_at, reclaim_at, message, machine_type, market, data } = report;
  if (status === 'terminated') return end(draft, machine, { status, message: message ?? machine.message });
  draft.setMachine(machine, {
    // `failed` is our word and stays: the provider may still call it running until the release is done.
    status: machine.status === 'failed' ? 'failed' : status,
    ...(name === undefined ? {} : { name }),
    ...(private_ip === undefined ? {} : { private_ip }),
    ...(public_ip === undefined ? {} : { public_ip }),
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(typeof reclaim_at === 'string' ? { reclaim_at } : {}),
    ...(message === undefined ? {} : { message }),
    ...(machine_type === undefined ? {} : { machine_type }),
    ...(market === undefined ? {} : { market }),
    ...(data === undefined ? {} : { data }),
    misses: 0,
  });
  // A notice that was taken back must not make a good machine look lost.
  if (reclaim_at === null) draft.unsetMachine(machine, 'reclaim_at');
  if (report.ready && machine.ready_at === undefined && machine.going === undefined) {
    draft.setMachine(machine, { ready_at: draft.now });
    draft.setRequest({ delivered: draft.request.delivered + 1 });
    draft.tell('machine.ready', machine);
  }
  // Stopped unasked: it will not be usable again, and still costs.
  if (isEnding(status) && status !== 'shutting-down' && machine.going === undefined) {
    draft.setMachine(machine, { going: 'failed', lost: true });
    lose(draft, machine, `It is ${status}.`);
  }
}

/** It is no more. Unasked, that is a loss. */
function end(draft: Draft, machine: MachineRecord, seen: { status: 'terminated'; message: string | undefined }): void {
  if (!isAlive(machine)) return;
  const unasked = machine.going === undefined;
  draft.setMachine(machine, {
    status: machine.status === 'failed' ? 'failed' : seen.status,
    gone_at: draft.now,
    ...(seen.message === undefined ? {} : { message: seen.message }),
    ...(unasked ? { lost: true } : {}),
  });
  if (unasked) lose(draft, machine, seen.message ?? 'It was terminated by somebody else.');
  else draft.tell('machine.gone', machine);
}

function lose(draft: Draft, machine: MachineRecord, message: string): void {
  draft.tell('machine.lost', machine, { message });
  // A fleet that was told to keep so many goes on keeping as many, until it is told again.
  if (draft.attempt(machine.attempt)?.to_come !== undefined) draft.setAttempt(machine.attempt, { reopened: true });
  const { request } = draft;
  // While the request runs a lost machine is missing and is replaced; afterwards the survivors are the new aim.
  if (isTerminal(request.status) && request.template?.replace_lost !== true) draft.setRequest({ wanted: Math.max(0, request.wanted - 1) });
}

function bornAt(machine: MachineRecord): number {
  const launched = machine.launched_at === undefined ? Number.NaN : Date.parse(machine.launched_at);
  return Number.isNaN(launched) ? machine.created_at : Math.max(launched, machine.created_at);
}
