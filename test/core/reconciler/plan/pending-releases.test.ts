import test from 'ava';
import fc from 'fast-check';
import { isStaying } from '../../../../core/reconciler/state/machine-life.ts';
import { pendingReleases } from '../../../../core/reconciler/plan/pending-releases.ts';
import { attemptOf, stateOf, machineOf, requestOf } from '../../../support/records.ts';

const now = 1_000;
const ids = (refs: readonly { machine_id: string }[]) => refs.map(({ machine_id }) => machine_id);

test('an attempt that matches its target gets no new target', (t) => {
  t.deepEqual(
    pendingReleases(
      stateOf({ attempts: [attemptOf(1)], machines: [machineOf('m-1'), machineOf('m-2'), machineOf('m-3')] }),
      now,
    ),
    [],
  );
});

test('a target names the machines to release and those that stay', (t) => {
  const machines = [machineOf('m-1', { going: 'returned' }), machineOf('m-2'), machineOf('m-3')];
  const [pending] = pendingReleases(stateOf({ attempts: [attemptOf(1)], machines }), now);
  t.deepEqual(
    [ids(pending?.target.go ?? []), ids(pending?.target.stay ?? []), pending?.target.incoming],
    [['m-1'], ['m-2', 'm-3'], 0],
  );
});

test('a machine whose release was accepted is in no further target', (t) => {
  const machines = [machineOf('m-1', { going: 'returned', released_at: 5 }), machineOf('m-2')];
  t.deepEqual(
    pendingReleases(stateOf({ request: requestOf({ machine_count: 2 }), attempts: [attemptOf(1)], machines }), now),
    [],
  );
});

test('a fleet that still starts machines gets a new target when more are incoming than needed', (t) => {
  const filling = attemptOf(1, { settled: false }, 5);
  const machines = [machineOf('m-1', { going: 'returned' }), machineOf('m-2'), machineOf('m-3')];
  const [pending] = pendingReleases(
    stateOf({ request: requestOf({ machine_count: 5 }), attempts: [filling], machines }),
    now,
  );
  t.is(pending?.target.incoming, 2);
});

for (const [what, fields] of [
  ['cancelled', { cancel_requested_at: 5 }],
  ['undone', { undone_at: 5 }],
  ['late', { deadline_at: now }],
  ['ended', { status: 'failed' }],
] as const) {
  test(`a fleet that still starts machines is stopped when its request is ${what}`, (t) => {
    const [pending] = pendingReleases(
      stateOf({ request: requestOf(fields), attempts: [attemptOf(1, { settled: false })] }),
      now,
    );
    t.deepEqual(pending?.target, { go: [], stay: [], incoming: 0 });
    const stopped = attemptOf(1, { settled: false, incoming: 0 });
    t.deepEqual(pendingReleases(stateOf({ request: requestOf(fields), attempts: [stopped] }), now), []);
  });
}

test('a stuck fleet is stopped and keeps its machines, except after the end of its request', (t) => {
  const stuck = attemptOf(1, { settled: false, stuck: true }, 5);
  const machines = [machineOf('m-1'), machineOf('m-2')];
  const request = requestOf({ machine_count: 5 });
  const [pending] = pendingReleases(stateOf({ request, attempts: [stuck], machines }), now);
  t.deepEqual([ids(pending?.target.stay ?? []), pending?.target.incoming], [['m-1', 'm-2'], 0]);
  const stopped = { ...stuck, incoming: 0 };
  t.deepEqual(pendingReleases(stateOf({ request, attempts: [stopped], machines }), now), []);
  const settled = { ...stuck, settled: true };
  t.deepEqual(pendingReleases(stateOf({ request, attempts: [settled], machines }), now), []);
  const ended = requestOf({
    status: 'completed',
    template: { template_id: 'small', replace_lost: true },
    kept_count: 5,
  });
  t.deepEqual(pendingReleases(stateOf({ request: ended, attempts: [stuck], machines }), now), []);
});

test('the missing machines of a stuck fleet may only come from another attempt', (t) => {
  const attempts = [attemptOf(1, { settled: false, stuck: true }, 5), attemptOf(2, { settled: false }, 3)];
  const machines = [machineOf('m-1'), machineOf('m-2')];
  const told = pendingReleases(stateOf({ request: requestOf({ machine_count: 5 }), attempts, machines }), now);
  t.deepEqual(
    told.map(({ attempt, target }) => [attempt.attempt, target.incoming]),
    [[1, 0]],
  );
});

test('a fleet that was recovered after it was marked lost is stopped', (t) => {
  const found = attemptOf(1, { state: 'lost', settled: false });
  const [pending] = pendingReleases(stateOf({ attempts: [found] }), now);
  t.deepEqual(pending?.target, { go: [], stay: [], incoming: 0 });
});

test('a new holder repeats the last target when the time for it has come', (t) => {
  const machines = [machineOf('m-1', { going: 'returned', released_at: 5 }), machineOf('m-2')];
  const from = stateOf({
    request: requestOf({ machine_count: 2, repeat_release_at: 500 }),
    attempts: [attemptOf(1, { incoming: 0 })],
    machines,
  });
  t.deepEqual(ids(pendingReleases(from, now)[0]?.target.go ?? []), ['m-1']);
  t.deepEqual(pendingReleases(from, 499), []);
});

test('staying and incoming machines never exceed the target, unless more are present already', (t) => {
  const attempt = fc.record({
    machine_count: fc.integer({ min: 1, max: 6 }),
    settled: fc.boolean(),
    staying: fc.integer({ min: 0, max: 6 }),
  });
  fc.assert(
    fc.property(
      fc.array(attempt, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 0, max: 20 }),
      (given, wanted) => {
        const attempts = given.map(({ machine_count, settled }, i) => attemptOf(i + 1, { settled }, machine_count));
        const machines = given.flatMap(({ staying, machine_count }, i) =>
          Array.from({ length: Math.min(staying, machine_count) }, (_, j) =>
            machineOf(`m-${i}-${j}`, { attempt: i + 1 }),
          ),
        );
        const from = stateOf({ request: requestOf({ machine_count: wanted }), attempts, machines });
        const told = pendingReleases(from, now);
        const staying = machines.filter(isStaying).length;
        const coming = attempts.reduce((sum, each) => {
          const mine = machines.filter((machine) => machine.attempt === each.attempt).length;
          const room = each.settled ? 0 : each.order.machine_count - mine;
          return (
            sum +
            Math.min(room, told.find((pending) => pending.attempt.attempt === each.attempt)?.target.incoming ?? room)
          );
        }, 0);
        return staying + coming <= Math.max(wanted, staying);
      },
    ),
  );
  t.pass();
});

test('a fleet that lost a machine since its last target gets a new one as soon as it may start another machine', (t) => {
  const told = attemptOf(1, { settled: false, incoming: 0, reopened: true }, 3);
  const lost = machineOf('m-1', { lost: true, gone_at: 5, status: 'terminated' });
  const machines = [lost, machineOf('m-2'), machineOf('m-3')];
  const over = requestOf({ status: 'completed', machine_count: 3 });
  const [pending] = pendingReleases(stateOf({ request: over, attempts: [told], machines }), now);
  t.deepEqual([ids(pending?.target.stay ?? []), pending?.target.incoming], [['m-2', 'm-3'], 0]);
  t.deepEqual(pendingReleases(stateOf({ request: over, attempts: [{ ...told, settled: true }], machines }), now), []);
  const running = requestOf({ machine_count: 3 });
  t.deepEqual(
    pendingReleases(stateOf({ request: running, attempts: [told], machines }), now),
    [],
    'what it starts by itself is wanted',
  );
});

test('a machine to release is named with everything that the core knows about its end', (t) => {
  const known = { launched_at: '2026-01-01T00:00:00Z', zone: 'a', market: 'spot', data: { weight: 2 } } as const;
  const machine = machineOf('m-1', { going: 'returned', reclaim_at: '2026-01-01T00:02:00Z', ...known });
  const [release] = pendingReleases(stateOf({ attempts: [attemptOf(1)], machines: [machine] }), 0);
  t.deepEqual(release?.target.go, [
    { machine_id: 'm-1', status: 'running', reclaim_at: '2026-01-01T00:02:00Z', ...known },
  ]);
});

test('machines of an order without a known answer may come: a fleet with returned machines gets none in place of them', (t) => {
  const filling = attemptOf(1, { settled: false }, 5);
  const { handle: _, ...unanswered } = attemptOf(2, { state: 'open', settled: false }, 5);
  const machines = ['m-1', 'm-2', 'm-3'].map((id) => machineOf(id, { going: 'returned' }));
  const state = stateOf({ request: requestOf({ machine_count: 10 }), attempts: [filling, unanswered], machines });
  t.deepEqual(
    pendingReleases(state, now).map(({ attempt, target }) => [attempt.attempt, target.incoming]),
    [[1, 2]],
  );
});

test('a fleet with returned machines gets none in place of them at the expense of a fleet that still starts its own', (t) => {
  const attempts = [attemptOf(1, { settled: false }, 5), attemptOf(2, { settled: false }, 5)];
  const machines = ['m-1', 'm-2', 'm-3'].map((id) => machineOf(id, { going: 'returned' }));
  const state = stateOf({ request: requestOf({ machine_count: 10 }), attempts, machines });
  t.deepEqual(
    pendingReleases(state, now).map(({ attempt, target }) => [attempt.attempt, target.incoming]),
    [[1, 2]],
  );
});

test('what a release in flight tells a fleet is not given to it twice', (t) => {
  const attempts = [attemptOf(1, { settled: false }, 5), attemptOf(2, { settled: false }, 5)];
  const machines = [machineOf('m-1', { going: 'returned' })];
  const state = stateOf({ request: requestOf({ machine_count: 8 }), attempts, machines });
  const told = (incomingTold?: (attempt: number) => number | undefined) =>
    pendingReleases(state, now, incomingTold ? { incomingTold } : {}).map(({ attempt, target }) => [
      attempt.attempt,
      target.incoming,
    ]);
  t.deepEqual(told(), [[1, 2]]);
  t.deepEqual(
    told((attempt) => (attempt === 2 ? 1 : undefined)),
    [
      [1, 4],
      [2, 1],
    ],
  );
});

test('of two fleets with returned machines, neither gets others in place of its own', (t) => {
  const attempts = [attemptOf(1, { settled: false }, 5), attemptOf(2, { settled: false }, 5)];
  const returned = (attempt: number, ids: readonly string[]) =>
    ids.map((id) => machineOf(id, { attempt, going: 'returned' }));
  const machines = [...returned(1, ['m-1', 'm-2', 'm-3']), ...returned(2, ['m-4'])];
  const state = stateOf({ request: requestOf({ machine_count: 10 }), attempts, machines });
  t.deepEqual(
    pendingReleases(state, now).map(({ attempt, target }) => [attempt.attempt, target.incoming]),
    [
      [1, 2],
      [2, 4],
    ],
  );
});
