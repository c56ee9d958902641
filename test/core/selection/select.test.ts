import test from 'ava';
import { splitByEligibility } from '../../../core/selection/eligibility.ts';
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
    limits: [{ most: 1000, by: 'instance' }],
    ...fields,
  };
}

const east = candidate('east');
const west = candidate('west', { priority: 2, weight: 30 });
const query = (fields: Partial<SelectionQuery> = {}): SelectionQuery => ({
  key: 'req-7',
  machine_count: 2,
  ...fields,
});

function refusal(asked: SelectionQuery, candidates: readonly Candidate[]): string {
  try {
    select(asked, candidates);
    return 'chosen';
  } catch (error) {
    return isBrokerError(error) ? error.code : String(error);
  }
}

test('a named instance is selected, whatever its priority, and has no alternatives', (t) => {
  const chosen = select(query({ provider_instance: 'west' }), [east, west]);
  t.like(chosen, { strategy: 'explicit', provider_instance: 'west', confidence: 1, alternatives: [] });
});

test('by default the lowest priority number wins', (t) => {
  t.is(select(query(), [west, east]).provider_instance, 'east');
  t.deepEqual(select(query(), [west, east]).alternatives, ['west']);
  t.is(select(query(), [west, east]).confidence, 0.25);
  t.is(select(query(), [west, east]).selection_reason, 'priority 1 among all enabled instances');
});

for (const [strategy, asked] of [
  ['default', {}],
  ['api_based', { provider_api: 'EC2Fleet' }],
] as const) {
  test(`${strategy}: instances of equal priority share by weight, and a lower priority number comes before any weight`, (t) => {
    const candidates = [
      candidate('heavy', { weight: 3 }),
      candidate('light', { weight: 1 }),
      candidate('later', { priority: 2, weight: 1_000 }),
    ];
    const ways = new Map<string, number>();
    for (let i = 0; i < 10_000; i++) {
      const { provider_instance, alternatives } = select(query({ ...asked, key: `req-${i}` }), candidates);
      const way = [provider_instance, ...alternatives].join(' ');
      ways.set(way, (ways.get(way) ?? 0) + 1);
    }
    t.deepEqual([...ways.keys()].toSorted(), ['heavy light later', 'light heavy later']);
    const heavy = ways.get('heavy light later') ?? 0;
    t.true(heavy > 7_350 && heavy < 7_650, `${heavy} of 10 000`);
  });
}

test('the reason gives the share of the winner among instances of equal priority', (t) => {
  const candidates = [
    candidate('a', { weight: 30 }),
    candidate('b', { weight: 10, enabled: false }),
    candidate('c', { weight: 10 }),
  ];
  const { provider_instance, selection_reason } = select(query(), candidates);
  const share = provider_instance === 'a' ? 30 : 10;
  t.is(selection_reason, `priority 1, shared by weight (${share} of 40), among all enabled instances`);
});

test('by API only the instances that offer it are eligible', (t) => {
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

test('the same request id always selects the same instance', (t) => {
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
  for (const { name, weight } of candidates)
    t.true(Math.abs((counts[name] ?? 0) / 1000 - weight) < 1, `${name}: ${counts[name]}`);
});

test('an instance that is removed moves only its own requests', (t) => {
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
  [
    'the named one is disabled',
    query({ provider_instance: 'a' }),
    [candidate('a', { enabled: false }), east],
    'PROVIDER_DISABLED',
  ],
  [
    'the named one is of another type',
    query({ provider_instance: 'east', provider_type: 'metal' }),
    [east],
    'PROVIDER_TYPE_MISMATCH',
  ],
  ['no instance is of the type', query({ provider_type: 'metal' }), [east], 'PROVIDER_TYPE_MISMATCH'],
  ['nobody offers the API', query({ provider_api: 'ASG' }), [east, west], 'API_NOT_SUPPORTED'],
  ['the request is over every limit', query({ machine_count: 1001 }), [east, west], 'INSTANCE_LIMIT_EXCEEDED'],
  ['explicit without a name', query({ strategy: 'explicit' }), [east], 'INVALID_REQUEST'],
];
for (const [what, asked, candidates, code] of refusals) {
  test(`refused when ${what}`, (t) => t.is(refusal(asked, candidates), code));
}

test('an error names similar instances and every reason', (t) => {
  const error = t.throws(() => select(query({ provider_instance: 'esat' }), [east, west]));
  t.regex(error?.message ?? '', /'esat'.*did you mean 'east'/);
  const all = t.throws(() =>
    select(query(), [candidate('a', { unhealthy: 'ExpiredToken' }), candidate('b', { enabled: false })]),
  );
  t.regex(all?.message ?? '', /'a': it is unhealthy: ExpiredToken; 'b': it is disabled/);
});

test('weight 0 is used only when named', (t) => {
  const spare = candidate('spare', { weight: 0, priority: 0 });
  t.is(select(query(), [east, spare]).provider_instance, 'east');
  t.false(select(query(), [east, spare]).alternatives.includes('spare'));
  t.is(select(query({ provider_instance: 'spare' }), [east, spare]).provider_instance, 'spare');
});

test('an instance that lacked capacity recently comes after all others and is never rejected', (t) => {
  const dry = candidate('dry', { priority: 0, without_capacity: { tried_again_at: 0 } });
  const chosen = select(query(), [dry, east, west]);
  t.like(chosen, { provider_instance: 'east', alternatives: ['west', 'dry'], rejected: [] });
  t.is(
    chosen.selection_reason,
    "priority 1 among all enabled instances; ranked lower for a recent lack of capacity: 'dry'",
  );
  t.is(select(query(), [dry]).provider_instance, 'dry');
  t.is(select(query({ provider_instance: 'dry' }), [dry, east]).provider_instance, 'dry');
});

test('each limit rejects larger requests, and the reason names its source', (t) => {
  const bounds = [
    candidate('a', { limits: [{ most: 5, by: 'instance' }] }),
    candidate('b', { limits: [{ most: 6, by: 'api' }] }),
    candidate('c', { limits: [{ most: 7, by: 'template' }] }),
  ];
  const reasons = (asked: Partial<SelectionQuery>) =>
    select(query(asked), [...bounds, candidate('d')]).rejected.map(({ name, code, reason }) => [name, code, reason]);
  t.deepEqual(reasons({ machine_count: 5 }), []);
  t.deepEqual(reasons({ machine_count: 8 }), [
    ['a', 'INSTANCE_LIMIT_EXCEEDED', '8 machines are more than its limit of 5 for one request'],
    ['b', 'INSTANCE_LIMIT_EXCEEDED', '8 machines are more than the 6 that its API allows for one request'],
    ['c', 'INSTANCE_LIMIT_EXCEEDED', '8 machines are more than the 7 that the template allows there'],
  ]);
  t.deepEqual(reasons({ machine_count: 2, held: 6 }), [
    [
      'c',
      'INSTANCE_LIMIT_EXCEEDED',
      '2 machines are more than the 7, of which 6 are in use, that the template allows there',
    ],
  ]);
});

test('the API that the defaults of an instance require must be offered there', (t) => {
  const odd = candidate('odd', { required_api: 'ASG' });
  t.like(select(query(), [odd, west]), { provider_instance: 'west' });
  t.is(refusal(query(), [odd]), 'API_NOT_SUPPORTED');
  t.is(refusal(query({ provider_api: 'EC2Fleet' }), [odd]), 'chosen', 'what the template names counts');
});

test('an instance whose API cannot honor the template is selected only when there is no other', (t) => {
  const unfit = candidate('unfit', { priority: 0, unfit: '/subnet_ids: is required' });
  const { provider_instance, rejected } = select(query(), [unfit, west]);
  t.is(provider_instance, 'west');
  t.deepEqual(rejected, [
    { name: 'unfit', code: 'TEMPLATE_INVALID', reason: 'its API cannot honor the template: /subnet_ids: is required' },
  ]);
  t.is(select(query(), [unfit]).provider_instance, 'unfit');
});

test('whatever the candidates, the winner is eligible and never among the alternatives or the rejected', (t) => {
  const any = fc.record({
    enabled: fc.boolean(),
    priority: fc.integer({ min: 0, max: 3 }),
    weight: fc.integer({ min: 0, max: 5 }),
    most: fc.integer({ min: 1, max: 5 }),
    short: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(any, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      (given, machine_count) => {
        const candidates = given.map(({ most, short, ...fields }, i) =>
          candidate(`i${i}`, {
            ...fields,
            limits: [{ most, by: 'instance' }],
            ...(short ? { without_capacity: { tried_again_at: 0 } } : {}),
          }),
        );
        const mostOf = ({ limits }: Candidate): number => limits[0]?.most ?? 0;
        let chosen;
        try {
          chosen = select(query({ machine_count }), candidates);
        } catch (error) {
          return (
            isBrokerError(error) &&
            candidates.every((each) => !each.enabled || each.weight === 0 || machine_count > mostOf(each))
          );
        }
        const winner = candidates.find((each) => each.name === chosen.provider_instance);
        const named = [chosen.provider_instance, ...chosen.alternatives, ...chosen.rejected.map((each) => each.name)];
        return (
          winner?.enabled === true &&
          machine_count <= mostOf(winner) &&
          new Set(named).size === candidates.length &&
          named.length === candidates.length
        );
      },
    ),
  );
  t.pass();
});

test('the rejection of an instance without the API names the APIs that it offers', (t) => {
  const { rejected } = splitByEligibility(query({ provider_api: 'ASG' }), 'default', [east]);
  t.true(rejected[0]?.reason.endsWith(`'ASG' but ${east.apis.join(', ')}`), rejected[0]?.reason);
});
