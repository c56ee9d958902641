import type { AttemptRecord } from '../../model/attempt.ts';
import type { GoingReason, MachineRecord } from '../../model/machine.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { MachineReport } from '../../contract/provider/orders-and-reports.ts';
import type { StateChange } from '../state/request-state.ts';
import { withObservation } from './announcements.ts';
import { setAnnounced, tellReclaim } from './apply-notices.ts';
import { applyUse } from './apply-use.ts';
import { keepsNumber, targetOf } from '../state/counting.ts';
import { nameOnArrival, nameStates, type NameStates } from '../state/names.ts';
import { hasPlace, isAlive, isEnding, isStandby, isStaying } from '../state/machine-life.ts';
import { newLease } from '../leases/apply-leases.ts';
import { needOf, openNeeds } from '../replacement/needs.ts';
import type { Settings } from '../settings.ts';
import { asMoved, followWith } from '../clock-shift/shift-times.ts';
import type { Template } from '../../model/template.ts';

/**
 * Applies the reports of a provider about the machines of one attempt. Unknown machines are adopted, or marked for
 * release when they arrive too late or exceed the target. A machine that counted as gone and is reported again counts
 * as alive.
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
  let vacancies = vacanciesOf(change);
  const names = change.request.names && new NameBook(change);
  for (const report of arrived) {
    const known = change.machine({ provider_instance, machine_id: report.machine_id });
    const places = { vacancies, names };
    if (known ? revive(change, known, report, places) : adopt(change, attempt, report, places)) vacancies -= 1;
  }
}

/** What an arriving machine may take. */
interface Places {
  readonly vacancies: number;
  /** Undefined: the request has no names. */
  readonly names: NameBook | undefined;
}

/** The names that the machines of one answer take, one after another. */
class NameBook {
  readonly #states: NameStates & { readonly held: Set<string> };

  constructor(change: StateChange) {
    const { held, ...others } = nameStates(change);
    this.#states = { ...others, held: new Set(held) };
  }

  onArrival(attempt: AttemptRecord, report: MachineReport): string | undefined {
    return nameOnArrival(attempt, report.assigned_name, this.#states);
  }

  isTaken(name: string): boolean {
    return this.#states.held.has(name) || this.#states.returned.has(name);
  }

  take(name: string | undefined): void {
    if (name !== undefined) this.#states.held.add(name);
  }
}

/**
 * Machines that did not become ready in time have failed: they are released and count as missing. Applied only with an
 * answer that shows that they are not ready. `askedAt`: when it was asked for, in the time of the change.
 */
export function applySlowness(change: StateChange, attempt: AttemptRecord, settings: Settings, askedAt: number): void {
  if (change.machines.counts(attempt.attempt).unready === 0) return;
  const timeoutMs = readyTimeoutMs(attempt.order.template, settings);
  for (const machine of change.machines.of(attempt.attempt)) {
    if (!isAlive(machine) || machine.going !== undefined || machine.ready_at !== undefined) continue;
    if (askedAt - machine.created_at < timeoutMs) continue;
    const message = `It was not ready ${Math.round(timeoutMs / 1000)} s after its launch.`;
    change.setMachine(machine, { status: 'failed', going: 'failed', message });
    change.journalMachine('machine.failed', machine, { message });
  }
}

/** Repeats a release that was accepted `repeat_release_ms` ago when the machine still runs. */
export function applyUnfinishedReleases(
  change: StateChange,
  attempt: AttemptRecord,
  reports: readonly MachineReport[],
  settings: Settings,
): void {
  if (change.machines.counts(attempt.attempt).going === 0) return;
  for (const { machine_id, status } of reports) {
    const machine = change.machine({ provider_instance: attempt.provider_instance, machine_id });
    if (!machine || machine.released_at === undefined || machine.gone_at !== undefined || isEnding(status)) continue;
    if (change.now - machine.released_at < settings.repeat_release_ms) continue;
    change.unsetMachine(machine, 'released_at');
    change.journalMachine('machine.still_there', machine);
  }
}

/** The tags by which the use of a machine is summed up: the place of its order may give it others. */
function usageTagsOf(attempt: AttemptRecord, request: RequestRecord): Pick<MachineRecord, 'usage_tags'> {
  const tags = attempt.usage_tags === undefined ? request.usage_tags : attempt.usage_tags;
  return tags ? { usage_tags: tags } : {};
}

/** Returns whether the machine takes one of the vacancies. */
function adopt(
  change: StateChange,
  attempt: AttemptRecord,
  report: MachineReport,
  { vacancies, names }: Places,
): boolean {
  const { request, now } = change;
  const machine: MachineRecord = {
    provider_instance: attempt.provider_instance,
    machine_id: report.machine_id,
    request_id: request.request_id,
    attempt: attempt.attempt,
    template_id: request.template_id ?? '',
    status: 'pending',
    created_at: now,
    ...usageTagsOf(attempt, request),
    ...asMoved(change),
  };
  change.putMachine(machine);
  const [needed] = request.undone_at === undefined ? openNeeds(attempt, change.machines) : [];
  if (request.cancel_requested_at !== undefined) change.setMachine(machine, { going: 'cancelled' });
  else if (attempt.state === 'lost') change.setMachine(machine, { going: 'late' });
  else if (needed) change.setMachine(machine, { replaces: needed.key });
  else if (isTerminal(request.status) && !keepsNumber(request)) change.setMachine(machine, { going: 'late' });
  else if (vacancies <= 0) change.setMachine(machine, { going: 'surplus' });
  else if (names) giveName(change, machine, names.onArrival(attempt, report));
  const present = change.machine(machine) ?? machine;
  if (present.going === undefined) change.journalMachine('machine.launched', machine);
  else change.journalMachine('machine.unwanted', machine, { why: present.going });
  refresh(change, present, isToldLater(attempt, present, report) ? { ...report, ready: false } : report);
  const applied = change.machine(machine);
  // A machine that was gone before its first report takes no vacancy.
  if (applied === undefined || !isStaying(applied) || !hasPlace(applied)) return false;
  names?.take(applied.assigned_name);
  return true;
}

/** The API learns the name only now: a later report says that the machine is ready and can read it. */
const isToldLater = ({ order }: AttemptRecord, { assigned_name }: MachineRecord, report: MachineReport): boolean =>
  assigned_name !== undefined && report.assigned_name === undefined && (order.names?.length ?? 0) > 1;

function giveName(change: StateChange, machine: MachineRecord, assigned_name: string | undefined): void {
  change.setMachine(machine, assigned_name === undefined ? { going: 'surplus' } : { assigned_name });
}

/**
 * A machine that counted as gone lives. A machine that replaced it keeps its place. Returns whether the machine takes
 * one of the vacancies.
 */
function revive(change: StateChange, machine: MachineRecord, report: MachineReport, places: Places): boolean {
  change.unsetMachine(machine, 'gone_at', 'lost', 'missing_since');
  followWith(change, change.machine(machine) ?? machine);
  // An accepted release that had no effect is repeated.
  if (!isEnding(report.status)) change.unsetMachine(machine, 'released_at');
  const why = machine.going ?? whyRevivedGoes(change, machine, places);
  if (why !== undefined) change.setMachine(machine, { going: why });
  const present = change.machine(machine) ?? machine;
  change.journalMachine('machine.found_again', machine, present.going === undefined ? {} : { why: present.going });
  refresh(change, present, report);
  const applied = change.machine(machine);
  if (applied === undefined || !isStaying(applied) || !hasPlace(applied)) return false;
  places.names?.take(applied.assigned_name);
  return true;
}

/**
 * The number of machines that may still be added. After the end of the request it is at most the requested number, so
 * that a machine that was replaced has no vacancy.
 */
function vacanciesOf(change: StateChange): number {
  const { request, machines } = change;
  const { returned, staying } = machines.counts();
  const target =
    isTerminal(request.status) && !keepsNumber(request) ? request.machine_count - returned : targetOf(change);
  return target - staying;
}

/**
 * Why a revived machine must go; undefined when it stays. After the end of the request, a machine that was delivered
 * stays if there is a vacancy; a machine that was never ready goes.
 */
function whyRevivedGoes(
  { request, machines }: StateChange,
  machine: MachineRecord,
  { vacancies, names }: Places,
): GoingReason | undefined {
  const { ready_at, given_up, replaced_by, replaces, assigned_name } = machine;
  if (request.cancel_requested_at !== undefined) return 'cancelled';
  if (given_up) return 'late';
  if (replaced_by !== undefined) return undefined;
  if (replaces !== undefined && isStandby(machine)) return needOf(machines.get(replaces)) ? undefined : 'surplus';
  const isOver = isTerminal(request.status) && !keepsNumber(request);
  if (isOver && (request.status === 'failed' || ready_at === undefined)) return 'late';
  if (names && (assigned_name === undefined || names.isTaken(assigned_name))) return 'surplus';
  return vacancies <= 0 ? 'surplus' : undefined;
}

function refresh(change: StateChange, machine: MachineRecord, report: MachineReport): void {
  const {
    status,
    name,
    private_ip,
    public_ip,
    launched_at,
    reclaim_at,
    message,
    machine_type,
    market,
    price,
    zone,
    data,
  } = report;
  const before = change.machine(machine) ?? machine;
  if (status === 'terminated') {
    applyUse(change, before, report);
    return endMachine(change, machine, message ?? machine.message);
  }
  // The status `failed` of muster and its reason stay: the provider reports the machine until the release is done.
  const hasFailed = machine.status === 'failed';
  change.setMachine(machine, {
    status: hasFailed ? 'failed' : status,
    ...(name === undefined ? {} : { name }),
    ...(private_ip === undefined ? {} : { private_ip }),
    ...(public_ip === undefined ? {} : { public_ip }),
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(message === undefined || hasFailed ? {} : { message }),
    ...(machine_type === undefined ? {} : { machine_type }),
    ...(market === undefined ? {} : { market }),
    ...(price === undefined || machine.price !== undefined ? {} : { price }),
    ...(zone === undefined ? {} : { zone }),
    ...(data === undefined ? {} : { data }),
  });
  change.unsetMachine(machine, 'missing_since');
  const present = change.machine(machine) ?? machine;
  if (present.announced !== undefined || typeof reclaim_at === 'string') {
    setAnnounced(change, machine, withObservation(present, reclaim_at, change.now));
    const { reclaim_at: standing, going } = change.machine(machine) ?? machine;
    if (standing !== undefined && going === undefined) tellReclaim(change, machine, standing);
  }
  applyUse(change, before, report);
  if (report.ready && machine.ready_at === undefined && machine.going === undefined) {
    // A machine is replaced once it is used.
    const replacing = machine.replace_from === undefined ? {} : { replace_from: change.now };
    change.setMachine(machine, { ready_at: change.now, ...replacing, ...newLease(change, machine) });
    change.journalMachine('machine.ready', machine);
  }
  // The machine stopped without a release: it will not be usable again, and still costs money.
  if (isEnding(status) && status !== 'shutting-down' && machine.going === undefined) {
    change.setMachine(machine, { going: 'failed', lost: true });
    change.journalMachine('machine.lost', machine, { message: `It is ${status}.` });
  }
}

/** The machine is gone. Without a release this is a loss. */
export function endMachine(change: StateChange, machine: MachineRecord, message: string | undefined): void {
  if (!isAlive(machine)) return;
  const unexpected = machine.going === undefined;
  const hasFailed = machine.status === 'failed';
  change.setMachine(machine, {
    status: hasFailed ? 'failed' : 'terminated',
    gone_at: change.now,
    ...(message === undefined || hasFailed ? {} : { message }),
    ...(unexpected ? { lost: true } : {}),
  });
  change.unsetMachine(machine, 'missing_since');
  if (unexpected)
    change.journalMachine('machine.lost', machine, { message: message ?? 'It was terminated outside muster.' });
  else change.journalMachine('machine.gone', machine);
}

/**
 * Milliseconds from its launch after which a machine that is not ready has failed: the `ready_timeout` of the ordered
 * template, else the general setting.
 */
export const readyTimeoutMs = (
  template: Template | undefined,
  settings: Pick<Settings, 'pending_timeout_ms'>,
): number => (template?.ready_timeout === undefined ? settings.pending_timeout_ms : template.ready_timeout * 1000);
