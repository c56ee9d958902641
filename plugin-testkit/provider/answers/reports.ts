import assert from 'node:assert/strict';
import {
  faultKinds,
  isFault,
  machineStatuses,
  type Launch,
  type MachineReport,
  type Shortfall,
} from '../../../core/index.ts';
import { notJson } from './not-json.ts';
import { formatValue } from './format.ts';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;
const texts = ['name', 'private_ip', 'public_ip', 'message', 'machine_type'] as const;

/** What is wrong with a machine report, one sentence for each mistake. */
export function wrongInReport(report: MachineReport): string[] {
  const wrong: string[] = [];
  const given = report as unknown as Readonly<Record<string, unknown>>;
  if (typeof report !== 'object' || report === null) return [`is ${formatValue(report)}, not an object`];
  if (typeof given['machine_id'] !== 'string' || given['machine_id'] === '')
    wrong.push('machine_id must be a text that is not empty');
  if (!(machineStatuses as readonly unknown[]).includes(given['status']))
    wrong.push(`status ${formatValue(given['status'])} is none of ${machineStatuses.join(', ')}`);
  if (given['status'] === 'failed')
    wrong.push("status 'failed' is reserved for the broker; report the state of the machine");
  if (typeof given['ready'] !== 'boolean')
    wrong.push(`ready must be true or false, but is ${formatValue(given['ready'])}`);
  for (const name of texts) {
    const value = given[name];
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      wrong.push(`${name} must be a text or absent, but is ${formatValue(value)}`);
  }
  for (const name of ['launched_at', 'ended_at', 'reclaim_at']) {
    const value = given[name];
    if (value === undefined || (value === null && name === 'reclaim_at')) continue;
    if (typeof value !== 'string' || !iso.test(value) || Number.isNaN(Date.parse(value)))
      wrong.push(`${name} must be an ISO 8601 time (2026-01-01T00:00:00Z), but is ${formatValue(value)}`);
  }
  if (given['ended_at'] !== undefined) {
    if (given['status'] === 'pending' || given['status'] === 'running')
      wrong.push(`a machine that is ${String(given['status'])} has no ended_at`);
    const used = Date.parse(String(given['ended_at'])) - Date.parse(String(given['launched_at']));
    if (used < 0) wrong.push(`ended_at must not be before launched_at, but is ${formatValue(given['ended_at'])}`);
  }
  if (given['market'] !== undefined && !['spot', 'on-demand', 'capacity-block'].includes(String(given['market'])))
    wrong.push(`market must be 'spot', 'on-demand' or 'capacity-block', but is ${formatValue(given['market'])}`);
  if (given['ready'] === true) {
    if (given['status'] !== 'running')
      wrong.push(`a machine that is ready must be running, but this one is ${formatValue(given['status'])}`);
    if (given['name'] === undefined) wrong.push('a machine that is ready has a name');
    if (given['private_ip'] === undefined && given['public_ip'] === undefined)
      wrong.push('a machine that is ready has an address');
  }
  const unstorable = notJson(report, 'the report');
  if (unstorable) wrong.push(unstorable);
  return wrong;
}

/** Fails if a list of reports breaks the contract. */
function assertReports(reports: unknown, from: string): asserts reports is readonly MachineReport[] {
  assert.ok(Array.isArray(reports), `${from} must have a list of machines, but has ${formatValue(reports)}.`);
  for (const report of reports as MachineReport[]) {
    const wrong = wrongInReport(report);
    assert.ok(
      wrong.length === 0,
      `${from}, machine ${formatValue(report?.machine_id)}: ${wrong.join('; ')}. Seen: ${formatValue(report)}.`,
    );
  }
  const ids = (reports as MachineReport[]).map(({ machine_id }) => machine_id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  assert.ok(twice.length === 0, `${from} must list each machine once; listed twice: ${twice.join(', ')}.`);
}

/** Fails if a shortfall does not state its cause. */
function assertShortfall(shortfall: unknown, from: string): asserts shortfall is readonly Shortfall[] {
  assert.ok(Array.isArray(shortfall), `${from}: shortfall must be a list, but is ${formatValue(shortfall)}.`);
  for (const each of shortfall as Shortfall[]) {
    assert.ok(
      faultKinds.includes(each?.kind) &&
        typeof each.code === 'string' &&
        each.code !== '' &&
        typeof each.message === 'string' &&
        each.message !== '',
      `${from}: a shortfall states its cause with kind (${faultKinds.join(', ')}), code and message; seen: ${formatValue(each)}.`,
    );
    assert.ok(
      each.count === undefined || (Number.isInteger(each.count) && each.count >= 0),
      `${from}: count must be a whole number; seen: ${formatValue(each)}.`,
    );
  }
}

/** Fails if an answer of `observe` does not have one valid entry for each order that was asked for. */
export function assertObservations(answer: unknown, asked: number): void {
  assert.ok(Array.isArray(answer), `observe must return a list, but returned ${formatValue(answer)}.`);
  assert.equal(
    answer.length,
    asked,
    `observe must return one entry for each order that it was asked for, in order; asked for ${asked}, returned ${answer.length}.`,
  );
  for (const [index, entry] of answer.entries()) {
    if (isFault(entry)) continue;
    const from = `observe, entry ${index}`;
    assert.ok(
      typeof entry === 'object' && entry !== null,
      `${from} must be an observation or a ProviderFault, but is ${formatValue(entry)}.`,
    );
    assertReports(entry.machines, from);
    assert.equal(
      typeof entry.settled,
      'boolean',
      `${from}: settled must be true or false, but is ${formatValue(entry.settled)}.`,
    );
    if (entry.shortfall !== undefined) assertShortfall(entry.shortfall, from);
    const unstorable = entry.handle === undefined ? undefined : notJson(entry.handle, 'handle');
    assert.ok(unstorable === undefined, `${from}: ${unstorable}. The handle is stored as JSON.`);
  }
}

/** Fails if an answer of `launch` breaks the contract. */
export function assertLaunch(launch: Launch, ordered: number): void {
  assert.ok(
    typeof launch === 'object' && launch !== null,
    `launch must return {handle, settled}, but returned ${formatValue(launch)}.`,
  );
  assert.ok(
    typeof launch.handle === 'object' && launch.handle !== null,
    `launch must return a handle that is an object, but returned ${formatValue(launch.handle)}.`,
  );
  const unstorable = notJson(launch.handle, 'handle');
  assert.ok(unstorable === undefined, `launch: ${unstorable}. The handle is stored as JSON.`);
  assert.equal(
    typeof launch.settled,
    'boolean',
    `launch: settled must be true or false, but is ${formatValue(launch.settled)}.`,
  );
  if (launch.machines !== undefined) assertReports(launch.machines, 'launch');
  if (launch.shortfall !== undefined) assertShortfall(launch.shortfall, 'launch');
  const reported = launch.machines?.length ?? 0;
  assert.ok(
    reported <= ordered,
    `launch must never return more machines than ordered: ${ordered} ordered, ${reported} returned.`,
  );
}
