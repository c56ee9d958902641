import { isTerminal, machineKey, type RequestRecord } from '../../core/index.ts';
import { isLive, type Cloud } from './cloud.ts';
import { most, type Owed, type Seen } from './ideal.ts';
import { isSettled, type Judge } from './judge.ts';
import type { Setup } from './setup.ts';
import type { Shelf } from './shelf.ts';

/**
 * What an order that was given up, or refused and yet carried out, has left may run on where nobody sweeps; and where
 * the sweep only tells of what it finds, if its API cannot look for it.
 */
const unfindable = ({ sweep, api }: Setup, { machine, row, given_up }: Seen): boolean => {
  if (sweep === 'terminate' || (sweep === 'report' && api.finds)) return false;
  // A fleet delivered it while the cloud showed nothing new, and was stopped before it was seen.
  const unseen = sweep === 'off' && machine.delivered && row === undefined;
  return given_up || machine.late || unseen;
};

/** What must be true once nothing fails any more and all time-outs have passed. */
export function judgeRest(judge: Judge, shelf: Shelf, setup: Setup): void {
  for (const owed of judge.owed.values()) {
    const { request_id } = owed.request;
    const request = shelf.requests.get(request_id);
    if (!request) continue;
    const all = judge.seen(request_id);
    if (!isTerminal(request.status))
      judge.fail('never ended', `${request_id} is ${request.status}: ${request.message}`);
    for (const { signal_id, kind } of owed.signals)
      if (shelf.signals.get(signal_id)?.applied !== true)
        judge.fail('signal not carried out', `${kind} of ${request_id} was not taken in`);
    machines(judge, shelf, setup, request, owed, all);
    if (isTerminal(request.status)) figures(judge, shelf, request, owed, all);
  }
  for (const request of shelf.requests.values())
    if (request.kind === 'return' && !isTerminal(request.status))
      judge.fail('never ended', `${request.request_id} is ${request.status}: ${request.message}`);
}

function machines(
  judge: Judge,
  shelf: Shelf,
  setup: Setup,
  request: RequestRecord,
  owed: Owed,
  all: readonly Seen[],
): void {
  const { request_id } = request;
  const left = all.filter((each) => isLive(each.machine) && !unfindable(setup, each));
  for (const { machine, row } of left) {
    if (!row) judge.fail('forgotten', `${machine.id} of ${request_id} runs, and no row says so`);
    else if (row.gone_at !== undefined)
      judge.fail('living one told gone', `${machine.id} of ${request_id} runs, and its row says ${row.status}`);
    else if (row.going !== undefined)
      judge.fail('signal not carried out', `${machine.id} of ${request_id} is to go (${row.going}), and runs`);
    else if (owed.returned.has(machine.id))
      judge.fail('signal not carried out', `${machine.id} of ${request_id} was returned, and runs`);
    else if (owed.cancelled_at !== undefined)
      judge.fail('signal not carried out', `${request_id} was cancelled, and ${machine.id} runs`);
  }
  for (const { machine, row } of all) {
    if (!row || row.gone_at !== undefined) continue;
    if (!isLive(machine))
      judge.fail('figures', `${machine.id} of ${request_id} does not run, and its row says ${row.status}`);
    const attempt = shelf.attempts.get(request_id)?.get(row.attempt);
    if (attempt?.handle === undefined)
      judge.fail(
        'nobody can release it',
        `${machine.id} of ${request_id} belongs to attempt ${row.attempt}, which is ${attempt?.state}`,
      );
  }
  const staying = left.filter(({ row }) => row !== undefined && row.going === undefined && row.gone_at === undefined);
  for (const each of staying) {
    const { machine_id = '', replaced_by, replaces, took_over_at } = each.row ?? {};
    if (replaced_by || (replaces && took_over_at === undefined))
      judge.fail('more than asked', `${machine_id} of ${request_id} runs beside the machines of its request`);
    if (each.row?.replace_from !== undefined || judge.isReplaceable(owed, each))
      judge.fail('not replaced', `${machine_id} of ${request_id} was recommended to be replaced, and was not`);
  }
  if (staying.length > most(owed, all))
    judge.fail(
      'more than asked',
      `${request_id}: ${staying.length} run, asked ${request.machine_count}, ${owed.returned.size} returned`,
    );
}

/**
 * Cancelled a minute before its end, in which the storage served: an end that was decided before may be stored late,
 * because a commit that failed is repeated as it is.
 */
function wasCancelledInTime({ cancelled_at, ended_at = Infinity }: Owed, { failed_at }: Shelf): boolean {
  if (cancelled_at === undefined) return false;
  return Math.max(cancelled_at, ...failed_at.filter((at) => at < ended_at)) + 60_000 < ended_at;
}

function figures(judge: Judge, shelf: Shelf, request: RequestRecord, owed: Owed, all: readonly Seen[]): void {
  const { request_id, status, fulfilment } = request;
  const delivered = all.filter(({ row }) => row?.ready_at !== undefined && row.replaces === undefined).length;
  if (request.delivered !== delivered)
    judge.fail('figures', `${request_id} says ${request.delivered} delivered, ${delivered} became ready`);
  if (fulfilment?.requested !== request.machine_count || fulfilment.delivered > delivered || fulfilment.final !== true)
    judge.fail(
      'figures',
      `${request_id}: ${JSON.stringify(fulfilment)} for ${request.machine_count}, of which ${delivered} became ready`,
    );
  const short = (fulfilment?.shortfall ?? []).reduce((sum, { count = 0 }) => sum + count, 0);
  if (fulfilment && short > Math.max(0, fulfilment.requested - fulfilment.delivered))
    judge.fail(
      'shortfall',
      `${request_id} lacks ${fulfilment.requested - fulfilment.delivered}, and says ${JSON.stringify(fulfilment.shortfall)}`,
    );
  const open = [...(shelf.attempts.get(request_id)?.values() ?? [])].filter((attempt) => !isSettled(attempt));
  const rows = all.flatMap(({ row }) => row ?? []);
  const staying = rows.filter((row) => row.gone_at === undefined && row.going === undefined);
  const held = rows.filter((row) => row.gone_at === undefined && row.released_at === undefined).length;
  // A fleet that keeps the number of its machines may still start what it lost.
  const missing = open.length > 0 ? Math.max(0, most(owed, all) - staying.length) : 0;
  if (request.holds < held || request.holds > held + missing)
    judge.fail('figures', `${request_id} holds ${request.holds}, its rows ${held}, and ${missing} may come`);
  const unready = staying.filter((row) => row.ready_at === undefined);
  if (unready.length > 0)
    judge.fail('figures', `${request_id} is ${status}, and ${unready[0]?.machine_id} stays and never became ready`);
  if (wasCancelledInTime(owed, shelf) && status !== 'cancelled')
    judge.fail('wrong status', `${request_id} was cancelled in time, and is ${status}`);
  if (status === 'cancelled' && owed.cancelled_at === undefined)
    judge.fail('wrong status', `${request_id} is cancelled, and nobody did`);
  if (status === 'failed' && staying.length > 0)
    judge.fail('wrong status', `${request_id} failed, and ${staying.length} machines of it stay`);
  const told = fulfilment?.delivered ?? 0;
  if (status === 'completed' && told === 0) judge.fail('wrong status', `${request_id} is completed without a machine`);
  if (status === 'failed' && told > 0 && request.template?.partial !== 'all_or_nothing')
    judge.fail('wrong status', `${request_id} failed with ${told} machines`);
  if (open.length > 0 && !request.template?.replace_lost)
    judge.fail('ended while more may come', `${request_id} is ${status}, attempt ${open[0]?.attempt} is not settled`);
}

/** What must be true after everything was given back. */
export function judgeEnd(judge: Judge, shelf: Shelf, setup: Setup, clouds: readonly Cloud[]): void {
  const wanted = new Set<string>();
  for (const owed of judge.owed.values()) {
    const living = judge
      .seen(owed.request.request_id)
      .filter((each) => isLive(each.machine) && !unfindable(setup, each));
    // What it lacked was not given back, and may have come since.
    const places = isStillWanted(owed) ? owed.request.machine_count - owed.returned.size : 0;
    const staying = living.filter(
      ({ row }) => row !== undefined && row.going === undefined && row.gone_at === undefined,
    );
    for (const { row } of staying.slice(0, places)) if (row) wanted.add(machineKey(row));
    for (const { machine, row } of living)
      if (!row || !wanted.has(machineKey(row)))
        judge.fail(
          'forgotten',
          `${machine.id} of ${owed.request.request_id} runs after all was given back; its row says ${row?.going ?? row?.status}`,
        );
  }
  for (const row of shelf.machines.values())
    if (row.gone_at === undefined && !wanted.has(machineKey(row)))
      judge.fail('figures', `row ${machineKey(row).replace('\u0000', '/')} is ${row.status} after all was given back`);
  if (!setup.api.disposes || setup.sweep !== 'terminate') return;
  for (const cloud of clouds)
    for (const [token, fleet] of cloud.fleets)
      if (!fleet.deleted && setup.api.kind !== 'plain' && !isStillWanted(judge.owed.get(fleet.order.request_id)))
        judge.fail('forgotten', `fleet ${token.slice(0, 6)} of ${fleet.order.request_id} is still there`);
}

/** It keeps the number of its machines, lost one for which there was no place yet, and nobody gave that back. */
const isStillWanted = (owed: Owed | undefined): boolean =>
  owed?.request.template?.replace_lost === true &&
  owed.cancelled_at === undefined &&
  owed.ended_at !== undefined &&
  owed.returned.size < owed.request.machine_count;
