import test from 'ava';
import { sift } from '../../../core/selection/eligibility.ts';
import fc from 'fast-check';
import { isBrokerError } from '../../../core/index.ts';
import type { Candidate, SelectionQuery } from '../../../core/selection/candidate.ts';
import { select } from '../../../core/selection/select.ts';

function candidate(name: string, fields: Partial<Candidate> = {}): Candidate {
  return {
    name,
    type: 'cloud',
    enabled: true,
    priority: 1,
    weight: 10,
    apis: ['EC2Fleet', 'RunInstances'],
    max_instances_per_request: 1000,
    without_capacity: false,
    ...fields,
  };
}

const east = candidate('east');
const west = candidate('west', { priority: 2, weight: 30 });
const query = (fields: Partial<SelectionQuery> = {}): SelectionQuery => ({ key: 'req-7', machine_count: 2, ...fields });

function refusal(asked: SelectionQuery, candidates: readonly Candidate[]): string {
  try {
    select(asked, candidates);
    return 'chosen';
  } catch (error) {
    return isBrokerError(error) ? error.code : String(error);
  }
}

test('the instance that is named is taken, whatever its priority, and has no alternatives', (t) => {
  const chosen = select(query({ provider_instance: 'west' }), [east, west]);
  t.like(chosen, { strategy: 'explicit', provider_instance: 'west', confidence: 1, alternatives: [] });
});

test('by default the lower priority number wins, then the higher weight, then the name', (t) => {
  t.is(select(query(), [west, east]).provider_instance, 'east');
  t.is(select(query(), [candidate('a', { weight: 1 }), candidate('b', { weight: 2 })]).provider_instance, 'b');
  t.is(select(query(), [candidate('b'), candidate('a')]).provider_instance, 'a');
  t.deepEqual(select(query(), [west, east]).alternatives, ['west']);
  t.is(select(query(), [west, east]).confidence, 0.25);
});

test('by API only those that offer it are in', (t) => {
  const asg = candidate('south', { priority: 9, apis: ['ASG'] });
  const chosen = select(query({ provider_api: 'ASG' }), [east, west, asg]);
  t.like(chosen, { strategy: 'api_based', provider_instance: 'south', confidence: 1 });
  t.deepEqual(
    chosen.rejected.map(({ name, code }) => [name, code]),
    [
      ['east', 'API_NOT_SUPPORTED'],
      ['west', 'API_NOT_SUPPORTED'],
    ],
  );
});

test('the same request id always chooses the same instance', (t) => {
  const choose = () => select(query({ provider_type: 'cloud' }), [east, west]).provider_instance;
  t.is(choose(), choose());
  t.is(
    select(query({ provider_type: 'cloud' }), [west, east]).provider_instance,
    choose(),
    'the order of the configuration does not matter',
  );
});

test('load balancing follows the weights within one per cent over 100 000 requests', (t) => {
  const candidates = [candidate('a', { weight: 10 }), candidate('b', { weight: 20 }), candidate('c', { weight: 70 })];
  const counts: Record<string, number> = {};
  for (let i = 0; i < 100_000; i++) {
    const { provider_instance } = select(query({ key: `req-${i}`, provider_type: 'cloud' }), candidates);
    counts[provider_instance] = (counts[provider_instance] ?? 0) + 1;
  }
  for (const { name, weight } of candidates) t.true(Math.abs((counts[name] ?? 0) / 1000 - weight) < 1, `${name}: ${counts[name]}`);
});

test('an instance that leaves moves only its own requests', (t) => {
  const all = [candidate('a'), candidate('b'), candidate('c')];
  for (let i = 0; i < 500; i++) {
    const asked = query({ key: `req-${i}`, provider_type: 'cloud' });
    const before = select(asked, all);
    const after = select(asked, all.slice(0, 2));
    const expected = before.provider_instance === 'c' ? before.alternatives[0] : before.provider_instance;
    t.is(after.provider_instance as string | undefined, expected);
  }
});

const refusals: readonly [string, SelectionQuery, readonly Candidate[], string][] = [
  ['nothing is configured', query(), [], 'NO_ENABLED_PROVIDERS'],
  ['all are disabled', query(), [candidate('a', { enabled: false })], 'NO_ENABLED_PROVIDERS'],
  ['all are unhealthy', query(), [candidate('a', { unhealthy: 'no credentials' })], 'NO_ENABLED_PROVIDERS'],
  ['the named one is unknown', query({ provider_instance: 'esat' }), [east], 'PROVIDER_NOT_FOUND'],
  ['the named one is disabled', query({ provider_instance: 'a' }), [candidate('a', { enabled: false }), east], 'PROVIDER_DISABLED'],
  ['the named one is of another type', query({ provider_instance: 'east', provider_type: 'metal' }), [east], 'PROVIDER_TYPE_MISMATCH'],
  ['no instance is of the type', query({ provider_type: 'metal' }), [east], 'PROVIDER_TYPE_MISMATCH'],
  ['nobody offers the API', query({ provider_api: 'ASG' }), [east, west], 'API_NOT_SUPPORTED'],
  ['the request is over every limit', query({ machine_count: 1001 }), [east, west], 'INSTANCE_LIMIT_EXCEEDED'],
  ['explicit without a name', query({ strategy: 'explicit' }), [east], 'INVALID_REQUEST'],
];
for (const [what, asked, candidates, code] of refusals) {
  test(`refused when ${what}`, (t) => t.is(refusal(asked, candidates), code));
}

test('a refusal names near instances and every reason', (t) => {
  const error = t.throws(() => select(query({ provider_instance: 'esat' }), [east, west]));
  t.regex(error?.message ?? '', /'esat'.*did you mean 'east'/);
  const all = t.throws(() => select(query(), [candidate('a', { unhealthy: 'ExpiredToken' }), candidate('b', { enabled: false })]));
  t.regex(all?.message ?? '', /'a': it is unhealthy: ExpiredToken; 'b': it is disabled/);
});

test('weight 0 is used only when named', (t) => {
  const spare = candidate('spare', { weight: 0, priority: 0 });
  t.is(select(query(), [east, spare]).provider_instance, 'east');
  t.false(select(query(), [east, spare]).alternatives.includes('spare'));
  t.is(select(query({ provider_instance: 'spare' }), [east, spare]).provider_instance, 'spare');
});

test('an instance without capacity is passed over while another has some, and taken when none has', (t) => {
  const dry = candidate('dry', { priority: 0, without_capacity: true });
  t.is(select(query(), [dry, east]).provider_instance, 'east');
  t.is(select(query(), [dry]).provider_instance, 'dry');
});

test('whatever the candidates, the winner is eligible and never among the alternatives or the rejected', (t) => {
  const any = fc.record({
    enabled: fc.boolean(),
    priority: fc.integer({ min: 0, max: 3 }),
    weight: fc.integer({ min: 0, max: 5 }),
    max_instances_per_request: fc.integer({ min: 1, max: 5 }),
    without_capacity: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 5 }), (given, machine_count) => {
      const candidates = given.map((fields, i) => candidate(`i${i}`, fields));
      let chosen;
      try {
        chosen = select(query({ machine_count }), candidates);
      } catch (error) {
        return (
          isBrokerError(error) &&
          candidates.every((each) => !each.enabled || each.weight === 0 || machine_count > each.max_instances_per_request)
        );
      }
      const winner = candidates.find((each) => each.name === chosen.provider_instance);
      const named = [chosen.provider_instance, ...chosen.alternatives, ...chosen.rejected.map((each) => each.name)];
      return (
        winner?.enabled === true &&
        machine_count <= winner.max_instances_per_request &&
        new Set(named).size === candidates.length &&
        named.length === candidates.length
      );
    }),
  );
  t.pass();
});

test('an instance that lacks the API says which ones it offers', (t) => {
  const { rejected } = sift(query({ provider_api: 'ASG' }), 'default', [east]);
  t.true(rejected[0]?.reason.endsWith(`'ASG' but ${east.apis.join(', ')}`), rejected[0]?.reason);
});
