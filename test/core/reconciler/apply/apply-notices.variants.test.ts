import test from 'ava';
import fc from 'fast-check';
import type { MachineRecord, MachineReport, Notice } from '../../../../core/index.ts';
import { applyNotices } from '../../../../core/reconciler/apply/apply-notices.ts';
import { applyReports } from '../../../../core/reconciler/apply/apply-reports.ts';
import { StateChange } from '../../../../core/reconciler/state/request-state.ts';
import { attemptOf, machineOf, stateOf } from '../../../support/records.ts';
import { tries } from '../../../support/variants.ts';

const now = Date.parse('2026-01-01T10:00:00Z');
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
const key = { provider_instance: 'east', machine_id: 'm-1' };

type Step = Notice | Pick<MachineReport, 'reclaim_at'>;

/** The machine after these notices and observations, with the events that they caused. */
function after(steps: readonly Step[]): { readonly machine: MachineRecord; readonly events: readonly string[] } {
  const state = stateOf({ attempts: [attemptOf(1)], machines: [machineOf('m-1')] });
  const change = new StateChange(state, now);
  const events: string[] = [];
  const journal = change.journalMachine.bind(change);
  change.journalMachine = (type, machine, data) => {
    events.push(type.replace('machine.', ''));
    journal(type, machine, data);
  };
  for (const step of steps) {
    if ('kind' in step)
      applyNotices(change, {
        signal_id: 's',
        kind: 'noticed',
        request_id: 'req-1',
        machines: [key],
        noticed: [step],
        created_at: now,
        applied: false,
      });
    else applyReports(change, attemptOf(1), [{ machine_id: 'm-1', status: 'running', ready: true, ...step }]);
  }
  const machine = change.machine(key);
  if (!machine) throw new Error('The machine is missing.');
  return { machine, events };
}

const warning = (announced: number, reclaim: number): Notice => ({
  machine_id: 'm-1',
  kind: 'reclaim',
  at: at(announced),
  reclaim_at: at(reclaim),
  message: `Warned at ${announced}.`,
});
const planned = (announced: number, reclaim: number | null, event_id?: string): Notice => ({
  machine_id: 'm-1',
  kind: 'scheduled',
  at: at(announced),
  reclaim_at: reclaim === null ? null : at(reclaim),
  message: `Planned at ${announced}.`,
  ...(event_id === undefined ? {} : { event_id }),
});
const recommended = (announced: number): Notice => ({
  machine_id: 'm-1',
  kind: 'rebalance',
  at: at(announced),
  message: `Recommended at ${announced}.`,
});

test('the withdrawal of planned work withdraws no warning, and no other planned work', (t) => {
  const { machine, events } = after([warning(-1, 1), planned(-5, 30, 'a'), planned(0, null, 'a')]);
  t.like(machine, { reclaim_at: at(1), message: 'Warned at -1.' });
  t.deepEqual(events, ['reclaim_noticed', 'reclaim_noticed', 'reclaim_withdrawn']);
  t.is(after([planned(-5, 30, 'a'), planned(-5, 40, 'b'), planned(0, null, 'a')]).machine.reclaim_at, at(40));
  t.is(after([{ reclaim_at: at(2) }, planned(0, null)]).machine.reclaim_at, at(2));
});

test('planned work that is put off or withdrawn is announced as such, and an older message brings nothing back', (t) => {
  const putOff = after([planned(-20, 10), planned(-10, 50)]);
  t.is(putOff.machine.reclaim_at, at(50));
  t.deepEqual(putOff.events, ['reclaim_noticed', 'reclaim_noticed']);
  t.is(after([planned(-10, 50), planned(-20, 10)]).machine.reclaim_at, at(50));
  t.is(after([planned(-10, 600), planned(-20, 10)]).machine.reclaim_at, undefined, 'more than an hour ahead');
  const late = after([planned(-5, null), planned(-20, 10), planned(-5, null)]);
  t.is(late.machine.reclaim_at, undefined);
  t.deepEqual(late.events, []);
  const withdrawn = after([planned(-20, 10), planned(-5, null)]);
  t.is(withdrawn.machine.reclaim_at, undefined);
  t.is(withdrawn.machine.message, undefined, 'it is no longer true');
  t.deepEqual(withdrawn.events, ['reclaim_noticed', 'reclaim_withdrawn']);
});

test('an observation withdraws only what an observation showed', (t) => {
  t.is(after([{ reclaim_at: at(2) }, { reclaim_at: null }]).machine.reclaim_at, undefined);
  t.is(after([warning(0, 2), { reclaim_at: at(30) }, { reclaim_at: null }]).machine.reclaim_at, at(2));
  t.is(after([warning(0, 30), { reclaim_at: at(2) }]).machine.reclaim_at, at(2));
  t.is(after([warning(0, 30), { reclaim_at: at(2) }, { reclaim_at: null }]).machine.reclaim_at, at(30));
  t.is(after([{ reclaim_at: at(2) }, {}]).machine.reclaim_at, at(2), 'an observation that does not know');
});

test('a reclaim that a notice and an observation show is one, with the time of the notice', (t) => {
  const seconds = new Date(now + 125_000).toISOString();
  t.is(after([{ reclaim_at: seconds }, warning(0, 2)]).machine.reclaim_at, at(2));
  t.is(after([warning(0, 2), { reclaim_at: seconds }]).machine.reclaim_at, at(2));
});

test('a reclaim whose time moves with a clock that is set is told once, and an earlier one is told, too', (t) => {
  for (const moved of [-0.5, 4.5]) {
    t.deepEqual(after([warning(0, 2), { reclaim_at: at(moved) }]).events, ['reclaim_noticed']);
    t.deepEqual(after([{ reclaim_at: at(2) }, { reclaim_at: at(moved) }, warning(0, 2)]).events, ['reclaim_noticed']);
  }
  t.deepEqual(after([planned(-5, 30), warning(0, 2)]).events, ['reclaim_noticed', 'reclaim_noticed']);
  t.deepEqual(after([planned(-5, 30), { reclaim_at: at(2) }]).events, ['reclaim_noticed', 'reclaim_noticed']);
});

test('a machine keeps a bounded number of planned works', (t) => {
  const many = Array.from({ length: 1_000 }, (_, index) => planned(-index / 100, 30, `event-${index}`));
  t.true(JSON.stringify(after(many).machine).length < 3_000);
  t.is(after(many).machine.reclaim_at, at(30));
});

const notice = fc.oneof(
  fc.tuple(fc.integer({ min: -10, max: 0 }), fc.integer({ min: -20, max: 90 })).map(([a, b]) => warning(a, b)),
  fc
    .tuple(
      fc.integer({ min: -10, max: 0 }),
      fc.option(fc.integer({ min: -20, max: 90 })),
      fc.constantFrom('a', 'b', undefined),
    )
    .map(([a, b, event]) => planned(a, b, event)),
  fc.integer({ min: -10, max: 0 }).map(recommended),
);

/** All orders of a list. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, index) => orders(list.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

/** What the journal told depends on the order, and nothing else does. */
function untold(machine: ReturnType<typeof after>['machine']) {
  const { reclaim_told: _, ...rest } = machine ?? {};
  return rest;
}

test('all orders of messages, with any repeats, lead to the same machine', (t) => {
  fc.assert(
    fc.property(
      fc.array(notice, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(3), { maxLength: 4 }),
      (sent, again) => {
        const expected = untold(after(sent).machine);
        for (const order of orders(sent)) {
          t.deepEqual(untold(after(order).machine), expected);
          const repeats = again.flatMap((index) => order[index] ?? []);
          t.deepEqual(untold(after([...order, ...repeats]).machine), expected);
          t.deepEqual(untold(after([...repeats, ...order]).machine), expected);
        }
      },
    ),
    { numRuns: tries(80, 300) },
  );
});

test('it does not matter between which observations the messages come', (t) => {
  const observation = fc.record(
    { reclaim_at: fc.option(fc.integer({ min: -5, max: 50 }).map(at)) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.array(notice, { maxLength: 4 }),
      fc.array(observation, { minLength: 1, maxLength: 3 }),
      fc.infiniteStream(fc.boolean()),
      (sent, observed, coin) => {
        const [notices, observations] = [[...sent], [...observed]];
        const mixed: Step[] = [];
        while (notices.length + observations.length > 0) {
          const from = observations.length === 0 || (notices.length > 0 && coin.next().value) ? notices : observations;
          mixed.push(from.shift() as Step);
        }
        t.deepEqual(untold(after(mixed).machine), untold(after([...sent, ...observed]).machine));
      },
    ),
    { numRuns: tries(150, 500) },
  );
});
