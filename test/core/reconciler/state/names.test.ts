import test from 'ava';
import fc from 'fast-check';
import { applyReports } from '../../../../core/reconciler/apply/apply-reports.ts';
import { tally } from '../../../../core/reconciler/state/counting.ts';
import { freeNames, nameStates } from '../../../../core/reconciler/state/names.ts';
import { StateChange, type HeldState } from '../../../../core/reconciler/state/request-state.ts';
import type { AttemptRecord, MachineRecord, MachineReport } from '../../../../core/index.ts';
import { attemptOf, machineOf, requestOf, stateOf } from '../../../support/records.ts';

const names = ['a', 'b', 'c'];
const request = requestOf({ machine_count: 3, names });
const order = (of: readonly string[], fields: Partial<AttemptRecord> = {}, attempt = 1): AttemptRecord =>
  attemptOf(attempt, {
    order: { machine_count: of.length, template: { template_id: 'small' }, tags: {}, names: [...of] },
    ...fields,
  });
const named = (machine_id: string, assigned_name: string, fields: Partial<MachineRecord> = {}) =>
  machineOf(machine_id, { assigned_name, ...fields });
const report = (machine_id: string, fields: Partial<MachineReport> = {}): MachineReport => ({
  machine_id,
  status: 'running',
  ready: true,
  ...fields,
});
const given = (change: StateChange): Record<string, string | undefined> =>
  Object.fromEntries(
    [...change.machines.all()].map(({ machine_id, assigned_name, going }) => [
      machine_id,
      going === undefined ? assigned_name : `${assigned_name ?? ''}!${going}`,
    ]),
  );

test('machines take the names of their order one after another', (t) => {
  const change = new StateChange(stateOf({ request, attempts: [order(names)] }), 10);
  applyReports(change, order(names), [report('m-1'), report('m-2'), report('m-3'), report('m-4')]);
  t.deepEqual(given(change), { 'm-1': 'a', 'm-2': 'b', 'm-3': 'c', 'm-4': '!surplus' });
});

test('a machine has the name that its provider told it, and is surplus when another machine has that name', (t) => {
  const attempts = [order(names)];
  const machines = [named('m-1', 'a')];
  const change = new StateChange(stateOf({ request, attempts, machines }), 10);
  applyReports(change, order(names), [
    report('m-2', { assigned_name: 'c' }),
    report('m-3', { assigned_name: 'a' }),
    report('m-4', { assigned_name: 'b' }),
  ]);
  t.deepEqual(given(change), { 'm-1': 'a', 'm-2': 'c', 'm-3': '!surplus', 'm-4': 'b' });
});

test('a machine that is found again while another one has its name goes, also when machines are missing', (t) => {
  const attempts = [order(names), order(['a'], {}, 2)];
  const machines = [
    named('m-1', 'a', { gone_at: 5, lost: true, status: 'terminated' }),
    named('m-2', 'a', { attempt: 2 }),
  ];
  const change = new StateChange(stateOf({ request, attempts, machines }), 10);
  applyReports(change, order(names), [report('m-1')]);
  t.is(given(change)['m-1'], 'a!surplus');
});

test('the name of a lost machine is free, that of a returned one is not', (t) => {
  const attempts = [order(names)];
  const machines = [
    named('m-1', 'a', { gone_at: 5, lost: true, status: 'terminated' }),
    named('m-2', 'b', { going: 'returned' }),
    named('m-3', 'c'),
  ];
  t.deepEqual(freeNames(stateOf({ request, attempts, machines })), ['a']);
});

test('the name of a failed machine is free once its release is accepted', (t) => {
  const failed = named('m-1', 'a', { going: 'failed', status: 'failed' });
  const machines = [failed, named('m-2', 'b'), named('m-3', 'c')];
  const attempts = [order(names)];
  t.deepEqual(freeNames(stateOf({ request, attempts, machines })), []);
  t.deepEqual([...nameStates(stateOf({ machines })).blocked.keys()], ['a']);
  const released = [{ ...failed, released_at: 9 }, ...machines.slice(1)];
  t.deepEqual(freeNames(stateOf({ request, attempts, machines: released })), ['a']);
});

test('an order keeps as many of its names as machines may still come of it', (t) => {
  const open = order(names, { settled: false, incoming: 1, lost_seen: 0 });
  t.deepEqual(freeNames(stateOf({ request, attempts: [open], machines: [named('m-1', 'a')] })), ['c']);
});

/** Something that may happen to the machines of a request with names. */
type Happening =
  | { readonly do: 'order'; readonly machines: number; readonly settled: boolean }
  | { readonly do: 'arrive' | 'die' | 'fail' | 'return' | 'release' | 'revive'; readonly which: number };

const happenings = fc.array(
  fc.oneof(
    fc.record<Happening & { do: 'order' }>({
      do: fc.constant('order'),
      machines: fc.integer({ min: 1, max: 4 }),
      settled: fc.boolean(),
    }),
    fc.record<Exclude<Happening, { do: 'order' }>>({
      do: fc.constantFrom('arrive', 'arrive', 'arrive', 'die', 'fail', 'return', 'release', 'revive'),
      which: fc.nat({ max: 7 }),
    }),
  ),
  { maxLength: 40 },
);

test('no two machines have one name, and no name is lost, whatever happens in any order', (t) => {
  fc.assert(
    fc.property(happenings, (all) => {
      let state: HeldState = stateOf({ request: requestOf({ machine_count: 4, names: [...names, 'd'] }) });
      let started = 0;
      const step = (apply: (change: StateChange) => void) => {
        const change = new StateChange(state, 10);
        apply(change);
        change.derive();
        state = change.done(state.machines);
      };
      for (const each of all) {
        if (each.do === 'order') {
          const free = freeNames(state).slice(0, Math.min(each.machines, tally(state).missing));
          if (free.length > 0)
            step((change) => change.addAttempt(order(free, { settled: each.settled }, state.attempts.length + 1)));
          continue;
        }
        const machines = [...state.machines.all()];
        const machine = machines[each.which % Math.max(1, machines.length)];
        const attempt = state.attempts[each.which % Math.max(1, state.attempts.length)];
        step((change) => {
          if (each.do === 'arrive' && attempt) applyReports(change, attempt, [report(`m-${(started += 1)}`)]);
          if (!machine) return;
          const of = change.attempt(machine.attempt);
          const lives = machine.gone_at === undefined;
          if (each.do === 'die' && of) applyReports(change, of, [report(machine.machine_id, ended)]);
          if (each.do === 'fail' && lives && machine.going === undefined)
            change.setMachine(machine, { going: 'failed', status: 'failed' });
          if (each.do === 'return' && lives && machine.going === undefined)
            change.setMachine(machine, { going: 'returned' });
          if (each.do === 'release' && machine.going) change.setMachine(machine, { released_at: 10 });
          if (each.do === 'revive' && !lives && of) applyReports(change, of, [report(machine.machine_id)]);
        });
        const staying = [...state.machines.all()].filter(
          ({ gone_at, going, status }) => gone_at === undefined && going === undefined && status === 'running',
        );
        const held = staying.map(({ assigned_name }) => assigned_name);
        t.false(held.includes(undefined));
        t.is(new Set(held).size, held.length, JSON.stringify(held));
        const { missing } = tally(state);
        const { blocked } = nameStates(state);
        t.true(freeNames(state).length + blocked.size >= missing);
      }
    }),
    { numRuns: 400 },
  );
});

const ended = { status: 'terminated', ready: false } as const;
