import test from 'ava';
import type { AttemptRecord, MachineRecord } from '../../../../core/index.ts';
import { planReplacements } from '../../../../core/reconciler/replacement/plan-replacements.ts';
import { replace } from '../../../../core/reconciler/replacement/replace.ts';
import { pendingReleases } from '../../../../core/reconciler/plan/pending-releases.ts';
import type { ProviderOption } from '../../../../core/reconciler/plan/orders/provider-option.ts';
import { defaultSettings } from '../../../../core/reconciler/settings.ts';
import { StateChange } from '../../../../core/reconciler/state/request-state.ts';
import { attemptOf, machineOf, requestOf, stateOf } from '../../../support/records.ts';

const hour = 3_600_000;
const request = requestOf({ status: 'completed', timeout_s: 3_600, kept_count: 3 });
const option: ProviderOption = {
  provider_instance: 'east',
  provider_type: 'cloud',
  api: 'RunInstances',
  capabilities: {
    supports_spot: true,
    supports_on_demand: true,
    max_instances: 10_000,
    supported_fleet_types: [],
    machines_per_launch: 10,
    offers_per_launch: 'one',
    visible_within_ms: 1_000,
    late_release_ms: 0,
    token_valid_ms: 1_000,
  },
  template: { template_id: 'small' },
  offers: [{ key: 'a' }, { key: 'b' }],
  shortfalls: new Map(),
};

const planAt = (now: number, state: Parameters<typeof stateOf>[0], offers = option.offers) =>
  planReplacements(stateOf({ request, ...state }), {
    now,
    settings: defaultSettings,
    replacementsWaitMs: 0,
    fallbackOrder: () => ({ options: [{ ...option, offers }], elsewhere: [], out: [] }),
    offersOfMachines: () => new Set(['a']),
  });

const key = (machine_id: string) => ({ provider_instance: 'east', machine_id });
const recommended = (machine_id: string, fields: Partial<MachineRecord> = {}) =>
  machineOf(machine_id, { replace_from: 0, ...fields });
function pending(machine_id: string, fields: Partial<MachineRecord>): MachineRecord {
  const { ready_at: _, ...machine } = machineOf(machine_id, { status: 'pending', ...fields });
  return machine;
}
const ordered = (attempt: number, fields: Partial<AttemptRecord> = {}, ...machine_ids: readonly string[]) =>
  attemptOf(attempt, { replaces: machine_ids.map(key), ...fields }, machine_ids.length);

test('an order names the machines that it replaces, as many as one launch may start, and avoids their pools', (t) => {
  const machines = Array.from({ length: 12 }, (_, index) => recommended(`m-${index}`));
  const { order, moves } = planAt(0, { attempts: [attemptOf(1, {}, 12)], machines });
  t.false(moves);
  t.is(order?.machine_count, 10);
  t.deepEqual(order?.offers, [{ key: 'b' }]);
  t.deepEqual(
    order?.replaces,
    machines.slice(0, 10).map(({ machine_id }) => key(machine_id)),
  );
});

const covered: readonly (readonly [string, readonly MachineRecord[], readonly AttemptRecord[]])[] = [
  ['an open order', [recommended('m-1')], [ordered(2, { state: 'open', settled: false }, 'm-1')]],
  [
    'a machine on standby',
    [recommended('m-1'), pending('m-2', { attempt: 2, replaces: key('m-1') })],
    [ordered(2, {}, 'm-1')],
  ],
  ['its end', [recommended('m-1', { status: 'shutting-down' })], []],
  ['its return', [recommended('m-1', { going: 'returned' })], []],
  ['its loss', [recommended('m-1', { gone_at: 1, lost: true, status: 'terminated' })], []],
  ['a replacement', [recommended('m-1', { replaced_by: key('m-2'), release_at: hour })], []],
  ['the time since it took over', [recommended('m-1', { replaces: key('m-0'), took_over_at: 0 })], []],
];
for (const [what, machines, attempts] of covered)
  test(`${what} keeps a machine from being replaced`, (t) => {
    const { order, moves } = planAt(1_000, { attempts: [attemptOf(1), ...attempts], machines });
    t.is(order, undefined);
    t.false(moves);
  });

test('a machine that an order left out is ordered anew after the order is settled', (t) => {
  const attempts = [attemptOf(1), ordered(2, { shortfall: [{ kind: 'capacity', code: 'C', message: '' }] }, 'm-1')];
  t.deepEqual(planAt(1_000, { attempts, machines: [recommended('m-1')] }).order?.replaces, [key('m-1')]);
});

test('an offer without capacity is tried a bounded number of times within the time-out, and then no more', (t) => {
  const machines = [recommended('m-1')];
  let attempts: readonly AttemptRecord[] = [attemptOf(1)];
  const asked: number[] = [];
  let now = 0;
  for (; now < 10 * hour; ) {
    const { order, again_ms, moves } = planAt(now, { attempts, machines }, [{ key: 'a' }]);
    if (moves) break;
    if (!order) {
      t.true(again_ms > 0);
      now += again_ms;
      continue;
    }
    asked.push(now);
    const shortfall = [{ offer: 'a', kind: 'capacity' as const, code: 'C', message: '' }];
    const fields = { state: 'closed', created_at: now, sent_at: now, shortfall } as const;
    const closed = ordered(attempts.length + 1, fields, 'm-1');
    attempts = [...attempts, { ...closed, order: { ...closed.order, offers: [{ key: 'a' }] } }];
  }
  t.is(now, hour, 'the machine is given up at the time-out');
  t.true(asked.length > 5 && asked.length < 15, `${asked.length} tries`);
  const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  t.true(Math.max(...waits) <= hour / 2);
});

test('the replacement of a lost machine that does not arrive within the time-out is no longer awaited', (t) => {
  const lost = recommended('m-1', { gone_at: 1, lost: true, status: 'terminated' });
  const open = ordered(2, { settled: false }, 'm-1');
  const state = stateOf({ request, attempts: [attemptOf(1), open], machines: [lost] });
  const at = { settings: defaultSettings, replacementsWaitMs: 0, offersOfMachines: () => new Set<string>() };
  const fallbackOrder = () => ({ options: [], elsewhere: [], out: [] });
  t.is(planReplacements(state, { ...at, now: 1_000, fallbackOrder }).again_ms, hour - 1_000);
  t.deepEqual(pendingReleases(state, 1_000), [], 'until then it may still arrive');
  t.true(planReplacements(state, { ...at, now: hour, fallbackOrder }).moves);
  const change = new StateChange(state, hour);
  replace(change, defaultSettings);
  t.is(change.machine(lost)?.replace_from, undefined);
  const [pending] = pendingReleases(change, hour);
  t.is(pending?.attempt.attempt, 2);
  t.is(pending?.target.incoming, 0);
});

test('both machines of a pair are stored in one commit, however few rows it takes', (t) => {
  const machines = Array.from({ length: 9 }, (_, index) => [
    recommended(`old-${index}`),
    machineOf(`new-${index}`, { attempt: 2, replaces: key(`old-${index}`) }),
  ]).flat();
  const olds = machines.filter(({ attempt }) => attempt === 1).map(({ machine_id }) => machine_id);
  const change = new StateChange(stateOf({ request, attempts: [attemptOf(1), ordered(2, {}, ...olds)], machines }), 1);
  replace(change, defaultSettings);
  change.derive();
  const commits = change.commits(2);
  t.true(commits.length >= 9);
  for (const changes of commits) {
    const stored = changes.flatMap((each) =>
      each.op === 'put' && each.kind === 'machine' ? [each.record.machine_id] : [],
    );
    t.is(new Set(stored.map((id) => id.replace('old', 'new'))).size * 2, stored.length, stored.join());
  }
});
