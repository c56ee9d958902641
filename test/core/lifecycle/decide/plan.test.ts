import test from 'ava';
import fc from 'fast-check';
import type { Shortfall } from '../../../../core/index.ts';
import { plan, type Rung } from '../../../../core/lifecycle/decide/plan.ts';
import { attemptOf, caseOf, machineOf } from '../../../support/case-of.ts';

const offers = [{ key: 'a' }, { key: 'b' }];

function rung(provider_instance: string, fields: Partial<Rung> = {}, capabilities: Partial<Rung['capabilities']> = {}): Rung {
  return {
    provider_instance,
    provider_type: 'cloud',
    api: 'RunInstances',
    capabilities: {
      supports_spot: true,
      supports_on_demand: true,
      max_instances: 10_000,
      supported_fleet_types: [],
      machines_per_launch: 100,
      offers_per_launch: 'one',
      visible_within_ms: 1_000,
      token_valid_ms: 1_000,
      ...capabilities,
    },
    template: { template_id: 'small' },
    offers,
    ...fields,
  };
}

const short = (kind: Shortfall['kind'], offer?: string): Shortfall[] => [{ ...(offer ? { offer } : {}), kind, code: 'X', message: 'x' }];
const closed = (number: number, shortfall: Shortfall[], offer = 'a') =>
  attemptOf(number, {
    state: 'closed',
    shortfall,
    order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers: [{ key: offer }] },
  });
const keys = (planned: ReturnType<typeof plan>) =>
  planned.map(({ rung: { provider_instance }, offers: taken }) => [provider_instance, ...(taken ?? []).map(({ key }) => key)]);

test('the first offer of the first rung comes first', (t) => {
  t.deepEqual(keys(plan(caseOf(), [rung('east'), rung('west')], 3)), [['east', 'a']]);
});

test('an API that takes many offers gets all that are left in one order', (t) => {
  t.deepEqual(keys(plan(caseOf(), [rung('east', {}, { offers_per_launch: 'many' })], 3)), [['east', 'a', 'b']]);
});

test('an offer that lacked capacity is not tried again by the request, the next one is', (t) => {
  t.deepEqual(keys(plan(caseOf({ attempts: [closed(1, short('capacity', 'a'))] }), [rung('east')], 3)), [['east', 'b']]);
  const both = [closed(1, short('capacity', 'a')), closed(2, short('capacity', 'b'), 'b')];
  t.deepEqual(keys(plan(caseOf({ attempts: both }), [rung('east'), rung('west')], 3)), [['west', 'a']]);
  t.deepEqual(plan(caseOf({ attempts: both }), [rung('east')], 3), []);
});

test('a limit of the account, or missing credentials, rule the instance out', (t) => {
  for (const kind of ['quota', 'credentials'] as const) {
    t.deepEqual(keys(plan(caseOf({ attempts: [closed(1, short(kind))] }), [rung('east'), rung('west')], 3)), [['west', 'a']]);
  }
});

test('an offer that gives nothing without saying why is tried three times', (t) => {
  const nothing = (n: number) => closed(n, []);
  t.deepEqual(keys(plan(caseOf({ attempts: [nothing(1), nothing(2)] }), [rung('east')], 3)), [['east', 'a']]);
  t.deepEqual(keys(plan(caseOf({ attempts: [nothing(1), nothing(2), nothing(3)] }), [rung('east')], 3)), [['east', 'b']]);
});

test('an order of many offers that says which of them gave nothing does not use up the others', (t) => {
  const many = rung('east', {}, { offers_per_launch: 'many' });
  const attempts = (shortfall: Shortfall[]) =>
    [1, 2, 3].map((number) => ({
      ...closed(number, shortfall),
      order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers },
    }));
  t.deepEqual(keys(plan(caseOf({ attempts: attempts(short('unavailable', 'a')) }), [many], 3)), [['east', 'b']]);
  t.deepEqual(plan(caseOf({ attempts: attempts([...short('unavailable', 'a'), ...short('unavailable', 'b')]) }), [many], 3), []);
  t.deepEqual(plan(caseOf({ attempts: attempts(short('unavailable')) }), [many], 3), []);
  t.deepEqual(plan(caseOf({ attempts: attempts(short('unavailable', 'unknown')) }), [many], 3), []);
});

test('an attempt that bore machines does not count against its offer', (t) => {
  const attempts = [1, 2, 3].map((n) =>
    attemptOf(n, { order: { machine_count: 1, template: { template_id: 'small' }, tags: {}, offers: [{ key: 'a' }] } }),
  );
  const machines = [1, 2, 3].map((n) => machineOf(`m-${n}`, { attempt: n }));
  t.deepEqual(keys(plan(caseOf({ attempts, machines }), [rung('east')], 1)), [['east', 'a']]);
});

test('orders never sum to more than is missing, and none is larger than the API takes', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 1_000 }), (missing, machines_per_launch) => {
      const planned = plan(caseOf(), [rung('east', {}, { machines_per_launch })], missing);
      const sum = planned.reduce((total, { machine_count }) => total + machine_count, 0);
      return (
        sum === Math.min(missing, 100 * machines_per_launch) &&
        planned.every(({ machine_count }) => machine_count >= 1 && machine_count <= machines_per_launch)
      );
    }),
  );
  t.pass();
});
