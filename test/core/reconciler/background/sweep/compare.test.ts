import test from 'ava';
import { compare, type StoredResources } from '../../../../../core/reconciler/background/sweep/compare.ts';
import { OrphanCounts } from '../../../../../core/reconciler/background/sweep/sweep.ts';
import type { AttemptRecord } from '../../../../../core/model/attempt.ts';
import type { MachineRecord } from '../../../../../core/model/machine.ts';
import type { OwnedResource } from '../../../../../core/contract/provider/resources.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const grace = 600_000;
const old = new Date(now - grace).toISOString();
const young = new Date(now - grace + 1).toISOString();

const machine = (id: string, more: Partial<OwnedResource> = {}): OwnedResource => ({
  kind: 'machine',
  id,
  request_id: 'req-1',
  attempt: 1,
  created_at: old,
  machine: { machine_id: id, status: 'running', ready: true },
  ...more,
});
const fleet: OwnedResource = { kind: 'container', id: 'fleet-1', request_id: 'req-1', attempt: 1, created_at: old };
const known = (
  machines: Readonly<Record<string, Partial<MachineRecord>>> = {},
  attempt: Partial<AttemptRecord> = {},
): StoredResources => ({
  attempt: (request_id, number) =>
    request_id === 'req-1' && number === 1
      ? ({
          request_id,
          attempt: number,
          provider_instance: 'east',
          disposed: false,
          state: 'launched',
          settled: true,
          handle: {},
          ...attempt,
        } as AttemptRecord)
      : undefined,
  machine: ({ machine_id }) =>
    machines[machine_id] && ({ request_id: 'req-1', ...machines[machine_id] } as MachineRecord | undefined),
  finds: () => true,
});
/** The attempt has no handle. */
function lacking(fields: Partial<AttemptRecord>): StoredResources {
  const { attempt, ...others } = known({}, fields);
  const without = (found: AttemptRecord | undefined) => {
    if (!found) return undefined;
    const { handle: _, ...rest } = found;
    return rest;
  };
  return { ...others, attempt: (...key) => without(attempt(...key)) };
}

for (const [what, resource, store, expected] of [
  ['a machine that its request follows', machine('m-1'), known({ 'm-1': {} }), 'nothing'],
  ['a machine of a known attempt that nobody follows', machine('m-1'), known(), 'astray'],
  ['a machine that was given up as gone and lives', machine('m-1'), known({ 'm-1': { gone_at: 1 } }), 'astray'],
  ['a machine of an unknown request', machine('m-1', { request_id: 'req-9' }), known(), 'orphan'],
  ['a machine of an unknown attempt', machine('m-1', { attempt: 9 }), known(), 'orphan'],
  ['a machine without a request', { kind: 'machine', id: 'm-1', created_at: old } as OwnedResource, known(), 'orphan'],
  [
    'a machine that is younger than the grace',
    machine('m-1', { request_id: 'req-9', created_at: young }),
    known(),
    'nothing',
  ],
  ['a machine of unknown age', { kind: 'machine', id: 'm-1' } as OwnedResource, known(), 'orphan'],
  [
    'a machine that is ending',
    machine('m-1', { machine: { machine_id: 'm-1', status: 'shutting-down', ready: false } }),
    known(),
    'nothing',
  ],
  [
    'a launch template of a live attempt',
    { kind: 'launch_template', id: 'lt-1', request_id: 'req-1', attempt: 1, created_at: old } as const,
    known(),
    'nothing',
  ],
  [
    'a launch template of an attempt that was cleared away',
    { kind: 'launch_template', id: 'lt-1', request_id: 'req-1', attempt: 1, created_at: old } as const,
    known({}, { disposed: true }),
    'orphan',
  ],
  [
    'a container of an unknown request',
    { kind: 'container', id: 'fleet-1', request_id: 'req-9', attempt: 1, created_at: old } as const,
    known(),
    'orphan',
  ],
  ['a container of a live attempt', fleet, known(), 'nothing'],
  [
    'a container of an attempt whose outcome may still be learned',
    fleet,
    lacking({ state: 'lost', settled: false }),
    'nothing',
  ],
  ['a container of an attempt that may still be looked for', fleet, lacking({ state: 'closed' }), 'nothing'],
  ['a container that no attempt can end', fleet, lacking({ state: 'lost', sought: true }), 'orphan'],
  ['a container that nobody can look for', fleet, { ...lacking({ state: 'lost' }), finds: () => false }, 'orphan'],
] as const) {
  test(`${what}: ${expected}`, (t) => {
    const { astray, orphans } = compare([resource], store, now, grace);
    t.deepEqual(
      [astray.length, orphans.length],
      expected === 'astray' ? [1, 0] : expected === 'orphan' ? [0, 1] : [0, 0],
    );
  });
}

test('untracked machines of one attempt are passed in one signal', (t) => {
  const { astray } = compare([machine('m-1'), machine('m-2')], known(), now, grace);
  t.like(astray, [{ request_id: 'req-1', attempt: 1, provider_instance: 'east' }]);
  t.deepEqual(
    astray[0]?.machines.map(({ machine_id }) => machine_id),
    ['m-1', 'm-2'],
  );
});

test('sightings count in a row: a missed orphan starts again at one', (t) => {
  const orphanCounts = new OrphanCounts();
  const times = (...ids: string[]) => orphanCounts.count(ids.map((id) => machine(id))).map((each) => each.times);
  t.deepEqual(times('m-1', 'm-2'), [1, 1]);
  t.deepEqual(times('m-1'), [2]);
  t.deepEqual(times('m-1', 'm-2'), [3, 1]);
});
