import type { AttemptRecord } from '../../model/attempt.ts';
import type { GoingReason, MachineRecord } from '../../model/machine.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { MachineReport } from '../../contract/provider.ts';
import type { StateChange } from '../state/request-state.ts';
import { keepsNumber, targetOf } from '../state/counting.ts';
import { isAlive, isEnding, isStaying } from '../state/machine-life.ts';
import type { Settings } from '../settings.ts';
import { asMoved, followWith } from './shift-times.ts';
import type { Template } from '../../model/template.ts';

/**
 * Takes in what a provider says of the machines of one attempt. Machines that are not known are adopted, or shall go where they come too late or too many.
 * One that counted as gone and is reported again is alive again, whatever was thought.
 */
export function applyReports(change: StateChange, attempt: AttemptRecord, reports: readonly MachineReport[]): void {
  const { provider_instance } = attempt;
  const arrived: MachineReport[] = [];
  for (const report of reports) {
    const known = change.machine({ provider_instance, machine_id: report.machine_id });
    if (known && (isAlive(known) || report.status === 'terminated')) refresh(change, known, report);
    else arrived.push(report);
  }
  if (arrived.length === 0) return;
  let room = placesLeft(change);
  for (const report of arrived) {
    const known = change.machine({ provider_instance, machine_id: report.machine_id });
    if (known ? revive(change, known, report, room) : adopt(change, attempt, report, room)) room -= 1;
  }
}

/** Machines that came up too slowly have failed: they are released and count as missing. Judged by an answer that shows that they are not ready. */
export function applySlowness(change: StateChange, attempt: AttemptRecord, settings: Settings): void {
  if (change.machines.counts(attempt.attempt).unready === 0) return;
  const timeoutMs = readyTimeoutMs(attempt.order.template, settings);
  for (const machine of change.machines.of(attempt.attempt)) {
    if (!isAlive(machine) || machine.going !== undefined || machine.ready_at !== undefined) continue;
    if (change.now - machine.created_at < timeoutMs) continue;
    const message = `It was not ready ${Math.round(timeoutMs / 1000)} s after its launch.`;
    change.setMachine(machine, { status: 'failed', going: 'failed', message });
    change.tell('machine.failed', machine, { message });
  }
}

/** A release that was accepted long ago and did not happen is asked for again. */
export function applyUndone(change: StateChange, attempt: AttemptRecord, reports: readonly MachineReport[], settings: Settings): void {
  if (change.machines.counts(attempt.attempt).going === 0) return;
  for (const { machine_id, status } of reports) {
    const machine = change.machine({ provider_instance: attempt.provider_instance, machine_id });
    if (!machine || machine.released_at === undefined || machine.gone_at !== undefined || isEnding(status)) continue;
    if (change.now - machine.released_at < settings.repeat_release_ms) continue;
    change.unsetMachine(machine, 'released_at');
    change.tell('machine.still_there', machine);
  }
}

/** Returns whether it takes one of the places that are left. */
function adopt(change: StateChange, attempt: AttemptRecord, report: MachineReport, room: number): boolean {
  const { request, now } = change;
  const machine: MachineRecord = {
    provider_instance: attempt.provider_instance,
    machine_id: report.machine_id,
    request_id: request.request_id,
    attempt: attempt.attempt,
    template_id: request.template_id ?? '',
    status: 'pending',
    created_at: now,
    ...asMoved(change),
  };
  change.putMachine(machine);
  if (request.cancel_requested_at !== undefined) change.setMachine(machine, { going: 'cancelled' });
  else if (attempt.state === 'lost' || (isTerminal(request.status) && !keepsNumber(request))) change.setMachine(machine, { going: 'late' });
  else if (room <= 0) change.setMachine(machine, { going: 'surplus' });
  const present = change.machine(machine) ?? machine;
  if (present.going === undefined) change.tell('machine.launched', machine);
  else change.tell('machine.unwanted', machine, { why: present.going });
  refresh(change, present, report);
  const applied = change.machine(machine);
  // One that had come and gone before anybody heard of it takes no place: whoever came instead shall stay.
  return applied !== undefined && isStaying(applied);
}

/** It counted as gone. Whoever replaced it meanwhile keeps the place. Returns whether it takes one of the places that are left. */
function revive(change: StateChange, machine: MachineRecord, report: MachineReport, room: number): boolean {
  const { request } = change;
  change.unsetMachine(machine, 'gone_at', 'lost', 'missing_since');
  followWith(change, change.machine(machine) ?? machine);
  // A release that was accepted and did not happen is asked for again.
  if (!isEnding(report.status)) change.unsetMachine(machine, 'released_at');
  const why = machine.going ?? whyRevivedGoes(request, machine, room);
  if (why !== undefined) change.setMachine(machine, { going: why });
  const present = change.machine(machine) ?? machine;
  change.tell('machine.found_again', machine, present.going === undefined ? {} : { why: present.going });
  refresh(change, present, report);
  const applied = change.machine(machine);
  return applied !== undefined && isStaying(applied);
}

/** Also after the end a machine that was replaced finds its place taken: nothing is ordered then, but what was asked for stays the most there may be. */
function placesLeft(change: StateChange): number {
  const { request, machines } = change;
  const { returned, staying } = machines.counts();
  const target = isTerminal(request.status) && !keepsNumber(request) ? request.machine_count - returned : targetOf(change);
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

function refresh(change: StateChange, machine: MachineRecord, report: MachineReport): void {
  const { status, name, private_ip, public_ip, launched_at, reclaim_at, message, machine_type, market, zone, data } = report;
  if (status === 'terminated') return endMachine(change, machine, message ?? machine.message);
  change.setMachine(machine, {
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
  change.unsetMachine(machine, 'missing_since');
  // A notice that was taken back must not make a good machine look lost.
  if (reclaim_at === null) change.unsetMachine(machine, 'reclaim_at');
  if (report.ready && machine.ready_at === undefined && machine.going === undefined) {
    change.setMachine(machine, { ready_at: change.now });
    change.tell('machine.ready', machine);
  }
  // Stopped unasked: it will not be usable again, and still costs.
  if (isEnding(status) && status !== 'shutting-down' && machine.going === undefined) {
    change.setMachine(machine, { going: 'failed', lost: true });
    change.tell('machine.lost', machine, { message: `It is ${status}.` });
  }
}

/** It is no more. Unasked, that is a loss. */
export function endMachine(change: StateChange, machine: MachineRecord, message: string | undefined): void {
  if (!isAlive(machine)) return;
  const unasked = machine.going === undefined;
  change.setMachine(machine, {
    status: machine.status === 'failed' ? 'failed' : 'terminated',
    gone_at: change.now,
    ...(message === undefined ? {} : { message }),
    ...(unasked ? { lost: true } : {}),
  });
  change.unsetMachine(machine, 'missing_since');
  if (unasked) change.tell('machine.lost', machine, { message: message ?? 'It was terminated by somebody else.' });
  else change.tell('machine.gone', machine);
}

/**
 * Milliseconds from its launch after which a machine that is not ready has failed: as the template says that it was ordered with, else as for every
 * machine.
 */
export const readyTimeoutMs = (template: Template | undefined, settings: Pick<Settings, 'pending_timeout_ms'>): number =>
  template?.ready_timeout === undefined ? settings.pending_timeout_ms : template.ready_timeout * 1000;
