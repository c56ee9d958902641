import type { AttemptRecord } from '../../model/attempt.ts';
import type { GoingReason, MachineRecord } from '../../model/machine.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { MachineReport } from '../../contract/provider.ts';
import type { StateChange } from '../state/request-state.ts';
import { keepsNumber, targetOf } from '../state/counting.ts';
import { isAlive, isEnding, isStaying } from '../state/machine-life.ts';
import { readyTimeoutMs } from '../state/ready-timeout.ts';
import type { Settings } from '../settings.ts';
import { asMoved, followWith } from './shift-times.ts';

/**
 * Takes in what a provider says of the machines of one attempt. Machines that are not known are adopted, or shall go where they come too late or too many.
 * One that counted as gone and is reported again is alive again, whatever was thought.
 */
export function applyReports(draft: StateChange, attempt: AttemptRecord, reports: readonly MachineReport[]): void {
  const { provider_instance } = attempt;
  const arrived: MachineReport[] = [];
  for (const report of reports) {
    const known = draft.machine({ provider_instance, machine_id: report.machine_id });
    if (known && (isAlive(known) || report.status === 'terminated')) refresh(draft, known, report);
    else arrived.push(report);
  }
  if (arrived.length === 0) return;
  let room = placesLeft(draft);
  for (const report of arrived) {
    const known = draft.machine({ provider_instance, machine_id: report.machine_id });
    if (known ? revive(draft, known, report, room) : adopt(draft, attempt, report, room)) room -= 1;
  }
}

/** Machines that came up too slowly have failed: they are released and count as missing. Judged by an answer that shows that they are not ready. */
export function applySlowness(draft: StateChange, attempt: AttemptRecord, settings: Settings): void {
  if (draft.machines.counts(attempt.attempt).unready === 0) return;
  const timeoutMs = readyTimeoutMs(attempt.order.template, settings);
  for (const machine of draft.machines.of(attempt.attempt)) {
    if (!isAlive(machine) || machine.going !== undefined || machine.ready_at !== undefined) continue;
    if (draft.now - machine.created_at < timeoutMs) continue;
    const message = `It was not ready ${Math.round(timeoutMs / 1000)} s after its launch.`;
    draft.setMachine(machine, { status: 'failed', going: 'failed', message });
    draft.tell('machine.failed', machine, { message });
  }
}

/** A release that was accepted long ago and did not happen is asked for again. */
export function applyUndone(draft: StateChange, attempt: AttemptRecord, reports: readonly MachineReport[], settings: Settings): void {
  if (draft.machines.counts(attempt.attempt).going === 0) return;
  for (const { machine_id, status } of reports) {
    const machine = draft.machine({ provider_instance: attempt.provider_instance, machine_id });
    if (!machine || machine.released_at === undefined || machine.gone_at !== undefined || isEnding(status)) continue;
    if (draft.now - machine.released_at < settings.repeat_release_ms) continue;
    draft.unsetMachine(machine, 'released_at');
    draft.tell('machine.still_there', machine);
  }
}

/** Returns whether it takes one of the places that are left. */
function adopt(draft: StateChange, attempt: AttemptRecord, report: MachineReport, room: number): boolean {
  const { request, now } = draft;
  const machine: MachineRecord = {
    provider_instance: attempt.provider_instance,
    machine_id: report.machine_id,
    request_id: request.request_id,
    attempt: attempt.attempt,
    template_id: request.template_id ?? '',
    status: 'pending',
    created_at: now,
    ...asMoved(draft),
  };
  draft.putMachine(machine);
  if (request.cancel_requested_at !== undefined) draft.setMachine(machine, { going: 'cancelled' });
  else if (attempt.state === 'lost' || (isTerminal(request.status) && !keepsNumber(request))) draft.setMachine(machine, { going: 'late' });
  else if (room <= 0) draft.setMachine(machine, { going: 'surplus' });
  const present = draft.machine(machine) ?? machine;
  if (present.going === undefined) draft.tell('machine.launched', machine);
  else draft.tell('machine.unwanted', machine, { why: present.going });
  refresh(draft, present, report);
  const applied = draft.machine(machine);
  // One that had come and gone before anybody heard of it takes no place: whoever came instead shall stay.
  return applied !== undefined && isStaying(applied);
}

/** It counted as gone. Whoever replaced it meanwhile keeps the place. Returns whether it takes one of the places that are left. */
function revive(draft: StateChange, machine: MachineRecord, report: MachineReport, room: number): boolean {
  const { request } = draft;
  draft.unsetMachine(machine, 'gone_at', 'lost', 'missing_since');
  followWith(draft, draft.machine(machine) ?? machine);
  // A release that was accepted and did not happen is asked for again.
  if (!isEnding(report.status)) draft.unsetMachine(machine, 'released_at');
  const why = machine.going ?? whyRevivedGoes(request, machine, room);
  if (why !== undefined) draft.setMachine(machine, { going: why });
  const present = draft.machine(machine) ?? machine;
  draft.tell('machine.found_again', machine, present.going === undefined ? {} : { why: present.going });
  refresh(draft, present, report);
  const applied = draft.machine(machine);
  return applied !== undefined && isStaying(applied);
}

/** Also after the end a machine that was replaced finds its place taken: nothing is ordered then, but what was asked for stays the most there may be. */
function placesLeft(draft: StateChange): number {
  const { request, machines } = draft;
  const { returned, staying } = machines.counts();
  const target = isTerminal(request.status) && !keepsNumber(request) ? request.machine_count - returned : targetOf(draft);
  return target - staying;
}

/** After the end a machine that its caller had is his again, where there is a place for it; one that he never had is nobody's. */
function whyRevivedGoes(request: RequestRecord, { ready_at, given_up }: MachineRecord, room: number): GoingReason | undefined {
  if (request.cancel_requested_at !== undefined) return 'cancelled';
  if (given_up) return 'late';
  const isOver = isTerminal(request.status) && !keepsNumber(request);
  if (isOver && (request.status === 'failed' || ready_at === undefined)) return 'late';
  return room <= 0 ? 'surplus' : undefined;
}

function refresh(draft: StateChange, machine: MachineRecord, report: MachineReport): void {
  const { status, name, private_ip, public_ip, launched_at, reclaim_at, message, machine_type, market, zone, data } = report;
  if (status === 'terminated') return endMachine(draft, machine, message ?? machine.message);
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
    ...(zone === undefined ? {} : { zone }),
    ...(data === undefined ? {} : { data }),
  });
  draft.unsetMachine(machine, 'missing_since');
  // A notice that was taken back must not make a good machine look lost.
  if (reclaim_at === null) draft.unsetMachine(machine, 'reclaim_at');
  if (report.ready && machine.ready_at === undefined && machine.going === undefined) {
    draft.setMachine(machine, { ready_at: draft.now });
    draft.tell('machine.ready', machine);
  }
  // Stopped unasked: it will not be usable again, and still costs.
  if (isEnding(status) && status !== 'shutting-down' && machine.going === undefined) {
    draft.setMachine(machine, { going: 'failed', lost: true });
    draft.tell('machine.lost', machine, { message: `It is ${status}.` });
  }
}

/** It is no more. Unasked, that is a loss. */
export function endMachine(draft: StateChange, machine: MachineRecord, message: string | undefined): void {
  if (!isAlive(machine)) return;
  const unasked = machine.going === undefined;
  draft.setMachine(machine, {
    status: machine.status === 'failed' ? 'failed' : 'terminated',
    gone_at: draft.now,
    ...(message === undefined ? {} : { message }),
    ...(unasked ? { lost: true } : {}),
  });
  draft.unsetMachine(machine, 'missing_since');
  if (unasked) draft.tell('machine.lost', machine, { message: message ?? 'It was terminated by somebody else.' });
  else draft.tell('machine.gone', machine);
}
