import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Stage } from './stage.ts';
import { until } from './until.ts';

/** What a request that the broker acknowledged must have come to. */
export interface Expected {
  readonly request_id: string;
  readonly machine_count: number;
  /** Machines that were given back. */
  readonly returned?: readonly string[];
  readonly cancelled?: boolean;
  /** How many of its machines were replaced: so many more were started, and as many ended. */
  readonly replaced?: number;
}

const goes = new Set(['running', 'pending']);

/**
 * Waits until nothing moves any more, then holds what the broker says against what the cloud has. Throws at the first
 * difference.
 */
export async function compare(stage: Stage, expected: readonly Expected[]): Promise<void> {
  await Promise.all(expected.map(({ request_id }) => stage.ended(request_id)));
  await until('the machines that are gone are gone in the cloud as well', async () => quiet(stage, expected), {
    within_ms: 30_000,
  }).catch(() => undefined);
  const { live, untagged, launches } = await stage.cloud.ledger();
  for (const each of expected) {
    const { request_id, machine_count, returned = [], cancelled = false } = each;
    const seen = await stage.seen(request_id);
    const alive = seen.machines.filter(({ status }) => goes.has(status)).map(({ machine_id }) => machine_id);
    equal(seen.status, cancelled ? stage.dialect.cancelled : stage.dialect.completed, `how ${request_id} ended`);
    deepEqual(
      alive.toSorted(),
      (live[request_id] ?? []).toSorted(),
      `machines of ${request_id}: what it says, and what the cloud has`,
    );
    equal(alive.length, cancelled ? 0 : machine_count - returned.length, `machines of ${request_id} that live`);
    for (const machine_id of returned) {
      equal(
        seen.machines.find((machine) => machine.machine_id === machine_id)?.status,
        'terminated',
        `${machine_id}, which was returned`,
      );
    }
  }
  deepEqual(untagged, [], 'machines without a request');
  const { body } = await stage.call('GET', '/requests/?limit=1000');
  const known = new Set(body.requests.map(stage.dialect.requestId));
  deepEqual(
    Object.keys(live).filter((id) => !known.has(id)),
    [],
    'requests that the cloud has machines of and the broker does not know',
  );
  checkLaunches(launches, expected);
}

/** No token started more machines than were ordered under it, and all of them together exactly what was asked for. */
function checkLaunches(launches: Readonly<Record<string, number>>, expected: readonly Expected[]): void {
  const most = Math.max(...expected.map(({ machine_count }) => machine_count));
  for (const [token, count] of Object.entries(launches))
    ok(count <= most, `token ${token} started ${count} machines, of orders of ${most}`);
  const started = Object.values(launches).reduce((sum, count) => sum + count, 0);
  const replaced = expected.reduce((sum, each) => sum + (each.replaced ?? 0), 0);
  const least = expected.reduce(
    (sum, { machine_count, cancelled }) => sum + (cancelled ? 0 : machine_count),
    replaced,
  );
  const all = expected.reduce((sum, { machine_count }) => sum + machine_count, replaced);
  ok(
    started >= least && started <= all,
    `${started} machines were started, ${least === all ? all : `${least} to ${all}`} were asked for`,
  );
}

async function quiet(stage: Stage, expected: readonly Expected[]): Promise<boolean> {
  const { live } = await stage.cloud.ledger();
  for (const { request_id } of expected) {
    const seen = await stage.seen(request_id);
    const alive = seen.machines.filter(({ status }) => goes.has(status));
    if (alive.length !== (live[request_id] ?? []).length) return false;
    if (seen.machines.some(({ status }) => status !== 'running' && status !== 'terminated')) return false;
  }
  return true;
}
