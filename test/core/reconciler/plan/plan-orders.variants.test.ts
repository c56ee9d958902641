import test from 'ava';
import fc from 'fast-check';
import type { Shortfall } from '../../../../core/index.ts';
import type { RequestState } from '../../../../core/reconciler/state/request-state.ts';
import { planOrders } from '../../../../core/reconciler/plan/orders/plan-orders.ts';
import type { ProviderOption } from '../../../../core/reconciler/plan/orders/provider-option.ts';
import type { OfferClock } from '../../../../core/reconciler/plan/orders/standing.ts';
import { attemptOf, stateOf, machineOf, requestOf } from '../../../support/records.ts';
import { variants } from '../../../support/variants.ts';

const offers = [{ key: 'a' }, { key: 'b' }];

const moment: OfferClock = { now: 1_000, offer_memory_ms: 180_000, offer_probe_ms: 15_000 };
/** Tried until the time-out of a request that was made at 0. */
const retries = { since: 0, share: 1 / 100 };

function option(
  provider_instance: string,
  fields: Partial<ProviderOption> = {},
  capabilities: Partial<ProviderOption['capabilities']> = {},
): ProviderOption {
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
      late_release_ms: 0,
      token_valid_ms: 1_000,
      ...capabilities,
    },
    template: { template_id: 'small' },
    offers,
    shortfalls: new Map(),
    ...fields,
  };
}

const short = (kind: Shortfall['kind'], offer?: string): Shortfall[] => [
  { ...(offer ? { offer } : {}), kind, code: 'X', message: 'x' },
];
const closed = (number: number, shortfall: Shortfall[], offer = 'a') =>
  attemptOf(number, {
    state: 'closed',
    shortfall,
    order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers: [{ key: offer }] },
  });
const keys = (from: RequestState, options: readonly ProviderOption[], at: Partial<OfferClock> = {}) =>
  planOrders(from, options, 3, { ...moment, ...at }).orders.map(({ option: { provider_instance }, offers: taken }) => [
    provider_instance,
    ...(taken ?? []).map(({ key }) => key),
  ]);

test('the first offer of the first option comes first', (t) => {
  t.deepEqual(keys(stateOf(), [option('east'), option('west')]), [['east', 'a']]);
});

test('an API that accepts many offers gets all remaining ones in one order', (t) => {
  t.deepEqual(keys(stateOf(), [option('east', {}, { offers_per_launch: 'many' })]), [['east', 'a', 'b']]);
});

const lack = (tried_again_at: number, message = 'x') => ({
  api: 'Api',
  offer: 'a',
  shortfall: { kind: 'capacity' as const, code: 'X', message },
  since: tried_again_at - 15_000,
  short_since: tried_again_at - 15_000,
  until: tried_again_at + 165_000,
  tried_again_at,
});
const own = (number: number, sent_at: number, offer = 'a') => ({
  ...closed(number, short('capacity', offer), offer),
  sent_at,
});
const [lately, longAgo] = [990, -20_000];
const shortages: readonly [string, RequestState, readonly ProviderOption[], Partial<OfferClock>, string[][]][] = [
  [
    'its own offer, the next one is asked',
    stateOf({ attempts: [own(1, lately)] }),
    [option('east')],
    {},
    [['east', 'b']],
  ],
  [
    'all of an instance, another one is asked',
    stateOf({ attempts: [own(1, lately), own(2, lately, 'b')] }),
    [option('east'), option('west')],
    {},
    [['west', 'a']],
  ],
  [
    'everything a moment ago, nothing is asked',
    stateOf({ attempts: [own(1, lately), own(2, lately, 'b')] }),
    [option('east')],
    {},
    [],
  ],
  [
    'everything, what lacked it 15 s ago is asked again',
    stateOf({ attempts: [own(1, longAgo), own(2, lately, 'b')] }),
    [option('east')],
    {},
    [['east', 'a']],
  ],
  [
    'the first offer for others, it comes behind',
    stateOf(),
    [option('east', { shortfalls: new Map([['a', lack(900)]]) })],
    {},
    [['east', 'b']],
  ],
  [
    'all offers of the first instance for others, it comes behind the next instance',
    stateOf(),
    [
      option('east', {
        shortfalls: new Map([
          ['a', lack(900)],
          ['b', lack(900)],
        ]),
      }),
      option('west'),
    ],
    {},
    [['west', 'a']],
  ],
  [
    'everything for others, what lacked it 15 s ago is asked, in the order of preference',
    stateOf(),
    [
      option('east', {
        shortfalls: new Map([
          ['a', lack(1_001)],
          ['b', lack(1_000)],
        ]),
      }),
      option('west', {
        shortfalls: new Map([
          ['a', lack(1)],
          ['b', lack(1)],
        ]),
      }),
    ],
    {},
    [['east', 'b']],
  ],
  [
    'everything for others a moment ago, nothing is asked',
    stateOf(),
    [
      option('east', {
        shortfalls: new Map([
          ['a', lack(1_001)],
          ['b', lack(1_001)],
        ]),
      }),
    ],
    {},
    [],
  ],
  [
    'an offer by whomever last, that counts',
    stateOf({ attempts: [own(1, longAgo), own(2, lately, 'b')] }),
    [option('east', { shortfalls: new Map([['a', lack(1_001)]]) })],
    {},
    [],
  ],
  [
    'an offer longer ago than it is remembered, it is where it was',
    stateOf({ attempts: [own(1, 0)] }),
    [option('east')],
    { now: 180_000 },
    [['east', 'a']],
  ],
  [
    'its own offer three times, it is not asked again',
    stateOf({ attempts: [own(1, -60_000), own(2, -40_000), own(3, longAgo)] }),
    [option('east', { offers: [{ key: 'a' }] })],
    {},
    [],
  ],
  [
    'its own offer however often, one that keeps trying asks again',
    stateOf({ attempts: [own(1, -60_000), own(2, -40_000), own(3, longAgo)] }),
    [option('east', { offers: [{ key: 'a' }] })],
    { retries },
    [['east', 'a']],
  ],
  [
    'an instance whose API has no offers a moment ago, nothing is asked',
    stateOf({ attempts: [{ ...own(1, lately), shortfall: short('capacity') }] }),
    [option('east', { offers: undefined })],
    {},
    [],
  ],
  [
    'an instance whose API has no offers 15 s ago, it is asked again',
    stateOf({ attempts: [{ ...own(1, longAgo), shortfall: short('capacity') }] }),
    [option('east', { offers: undefined })],
    {},
    [['east']],
  ],
];
for (const [what, from, options, at, expected] of shortages)
  test(`a lack of capacity of ${what}`, (t) => t.deepEqual(keys(from, options, at), expected));

test('a fleet order has the offers that lacked no capacity, else those that may be tried again', (t) => {
  const many = (shortfalls: ProviderOption['shortfalls']) => [
    option('east', { shortfalls }, { offers_per_launch: 'many' }),
  ];
  t.deepEqual(keys(stateOf(), many(new Map([['a', lack(900)]]))), [['east', 'b']]);
  t.deepEqual(
    keys(
      stateOf(),
      many(
        new Map([
          ['a', lack(900)],
          ['b', lack(900)],
        ]),
      ),
    ),
    [['east', 'a', 'b']],
  );
  t.deepEqual(
    keys(
      stateOf(),
      many(
        new Map([
          ['a', lack(900)],
          ['b', lack(1_001)],
        ]),
      ),
    ),
    [['east', 'a']],
  );
});

test('when nothing may be ordered, the plan has the reasons and the next time', (t) => {
  const trouble = { kind: 'unavailable', code: 'PLUGIN_ERROR', message: 'It threw.' } as const;
  const options = [
    option('east', {
      shortfalls: new Map([
        ['a', lack(5_000, 'No a.')],
        ['b', lack(4_000, 'No b.')],
      ]),
    }),
    option('west', { offers: [], trouble }),
  ];
  const { orders, skipped, tried_again_at } = planOrders(stateOf(), options, 3, moment);
  t.deepEqual(orders, []);
  t.is(tried_again_at, 4_000);
  t.deepEqual(
    skipped.map(({ offer, message }) => [offer, message]),
    [
      ['a', 'Not retried yet: No a.'],
      ['b', 'Not retried yet: No b.'],
      [undefined, 'It threw.'],
    ],
  );
});

test('a limit of the account rules the instance out', (t) => {
  const from = stateOf({ attempts: [closed(1, short('quota'))] });
  t.deepEqual(keys(from, [option('east'), option('west')]), [['west', 'a']]);
  t.deepEqual(keys(from, [option('east')]), []);
});

test('refused credentials rule the instance out until it is healthy again, and no more than three times', (t) => {
  const refused = (...numbers: number[]) =>
    stateOf({ attempts: numbers.map((number) => closed(number, short('credentials'))) });
  t.deepEqual(keys(refused(1), [option('east', { unhealthy: true })]), []);
  t.deepEqual(keys(refused(1), [option('east')]), [['east', 'a']]);
  t.deepEqual(keys(refused(1, 2, 3), [option('east', { offers: [{ key: 'a' }] })]), []);
});

test('an instance that did not answer comes last and is never used up', (t) => {
  const away = (number: number, provider_instance = 'east') => ({
    ...closed(number, short('unavailable')),
    provider_instance,
  });
  const both = [option('east'), option('west')];
  t.deepEqual(keys(stateOf({ attempts: [away(1)] }), both), [['west', 'a']]);
  t.deepEqual(keys(stateOf({ attempts: [away(1), away(2, 'west')] }), both), [['east', 'a']]);
  t.deepEqual(keys(stateOf({ attempts: [1, 2, 3, 4].map((n) => away(n)) }), [option('east')]), [['east', 'a']]);
});

test('an offer without machines and without a reason is tried three times', (t) => {
  const nothing = (n: number) => closed(n, []);
  t.deepEqual(keys(stateOf({ attempts: [nothing(1), nothing(2)] }), [option('east')]), [['east', 'a']]);
  t.deepEqual(keys(stateOf({ attempts: [nothing(1), nothing(2), nothing(3)] }), [option('east')]), [['east', 'b']]);
});

test('an order of many offers that names the failed ones does not use up the others', (t) => {
  const many = option('east', {}, { offers_per_launch: 'many' });
  const attempts = (shortfall: Shortfall[]) =>
    [1, 2, 3].map((number) => ({
      ...attemptOf(number, { shortfall }),
      order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers },
    }));
  t.deepEqual(keys(stateOf({ attempts: attempts(short('unavailable', 'a')) }), [many]), [['east', 'b']]);
  t.deepEqual(
    keys(stateOf({ attempts: attempts([...short('unavailable', 'a'), ...short('unavailable', 'b')]) }), [many]),
    [],
  );
  t.deepEqual(keys(stateOf({ attempts: attempts(short('unavailable')) }), [many]), []);
  t.deepEqual(keys(stateOf({ attempts: attempts(short('unavailable', 'unknown')) }), [many]), []);
});

test('an attempt with machines does not count against its offer', (t) => {
  const attempts = [1, 2, 3].map((n) =>
    attemptOf(n, {
      order: { machine_count: 1, template: { template_id: 'small' }, tags: {}, offers: [{ key: 'a' }] },
    }),
  );
  const machines = [1, 2, 3].map((n) => machineOf(`m-${n}`, { attempt: n }));
  t.deepEqual(keys(stateOf({ attempts, machines }), [option('east')]), [['east', 'a']]);
});

test('the sum of the orders never exceeds the missing machines, and no order exceeds the maximum of the API', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 1_000 }),
      (missing, machines_per_launch) => {
        const { orders: planned } = planOrders(
          stateOf(),
          [option('east', {}, { machines_per_launch })],
          missing,
          moment,
        );
        const sum = planned.reduce((total, { machine_count }) => total + machine_count, 0);
        return (
          sum === Math.min(missing, 100 * machines_per_launch) &&
          planned.every(({ machine_count }) => machine_count >= 1 && machine_count <= machines_per_launch)
        );
      },
    ),
  );
  t.pass();
});

test('a persistent request tries a scarce offer less often with time: after a hundredth of its age', (t) => {
  const day = 86_400_000;
  const only = [option('east', { offers: [{ key: 'a' }] })];
  let attempts: ReturnType<typeof attemptOf>[] = [];
  const asked: number[] = [];
  for (let now = 0; now < 7 * day; ) {
    const from = stateOf({ attempts, request: requestOf({ deadline_at: 8 * day }) });
    const planned = planOrders(from, only, 3, { ...moment, now, retries });
    if (planned.orders.length > 0) {
      asked.push(now);
      const order = { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers: [{ key: 'a' }] };
      const refused = {
        state: 'closed',
        shortfall: short('capacity', 'a'),
        created_at: now,
        sent_at: now,
        order,
      } as const;
      attempts = [...attempts, attemptOf(asked.length, refused)];
      now += 1;
    } else now = Math.ceil(planned.tried_again_at ?? Number.NaN);
  }
  t.true(asked.length > 300 && asked.length < 1_000, `${asked.length} attempts in a week`);
  const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  t.true(Math.min(...gaps) >= 15_000 && Math.max(...gaps) < day / 10);
});

test('an offer that lacked capacity gets a single order; after a success it gets all orders', (t) => {
  const one = [option('east', { offers: [{ key: 'a' }] }, { machines_per_launch: 1 })];
  const order = { machine_count: 1, template: { template_id: 'small' }, tags: {}, offers: [{ key: 'a' }] };
  const lacked = attemptOf(1, {
    state: 'closed',
    shortfall: short('capacity', 'a'),
    created_at: 0,
    sent_at: 0,
    order,
  });
  const at = { ...moment, now: 20_000, persistent: true };
  t.is(planOrders(stateOf({ attempts: [lacked] }), one, 3, at).orders.length, 1);
  const served = attemptOf(2, { created_at: 19_000, sent_at: 19_000, order });
  const machines = [machineOf('m-1', { attempt: 2 })];
  t.is(planOrders(stateOf({ attempts: [lacked, served], machines }), one, 2, at).orders.length, 2);
  t.is(
    planOrders(stateOf({ attempts: [served, { ...lacked, attempt: 3, sent_at: 19_500 }], machines }), one, 2, at)
      .orders.length,
    0,
  );
});

const untried = (number: number, ...keysOf: string[]) => ({
  ...attemptOf(number, {
    state: 'closed',
    // The provider tried another offer.
    shortfall: [
      ...short('capacity', 'c'),
      ...keysOf.map((offer) => ({ ...(short('capacity', offer)[0] as Shortfall), lack: 'untried' as const })),
    ],
    order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers },
  }),
  sent_at: lately,
});

test('an offer that was perhaps never tried comes behind all others, and needs no wait', (t) => {
  const attempts = [untried(1, 'a', 'b')];
  t.deepEqual(keys(stateOf({ attempts }), [option('east'), option('west')]), [['west', 'a']]);
  t.deepEqual(keys(stateOf({ attempts }), [option('east')]), [['east', 'a']]);
  const lacked = [...attempts, own(2, lately)];
  t.deepEqual(keys(stateOf({ attempts: lacked }), [option('east')]), [['east', 'b']]);
});

test('an offer that was perhaps never tried is not used up by that', (t) => {
  const attempts = [1, 2, 3, 4].map((number) => untried(number, 'a', 'b'));
  t.deepEqual(keys(stateOf({ attempts }), [option('east')]), [['east', 'a']]);
});

test('one reason without an offer says of all offers that no other reason names that they were perhaps never tried', (t) => {
  const [reason] = short('capacity', 'a');
  const { offer: _offer, ...whole } = reason as Shortfall;
  const attempt = {
    ...attemptOf(1, {
      shortfall: [reason as Shortfall, { ...whole, lack: 'untried' as const }],
      order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers },
    }),
    sent_at: lately,
  };
  t.deepEqual(keys(stateOf({ attempts: [attempt] }), [option('east')]), [['east', 'b']]);
  t.deepEqual(keys(stateOf({ attempts: [attempt] }), [option('east'), option('west')]), [['west', 'a']]);
});

test('an attempt in which nothing was tried counts for all its offers: it would be repeated without end', (t) => {
  const nothing = { ...untried(1, 'a', 'b'), shortfall: untried(1, 'a', 'b').shortfall.slice(1) };
  t.deepEqual(keys(stateOf({ attempts: [nothing] }), [option('east')]), []);
});

/** Plays a persistent request for hours, in a cloud without capacity; each attempt tries some of its offers. */
function playShortage(count: number, tries: number, hours: number, offers_per_launch: 'one' | 'many') {
  const many = Array.from({ length: count }, (_, i) => ({ key: `offer-${i}` }));
  const only = [option('east', { offers: many }, { offers_per_launch, machines_per_launch: 100 })];
  const made: { readonly at: number; readonly tried: readonly string[] }[] = [];
  let attempts: ReturnType<typeof attemptOf>[] = [];
  for (let now = 1_000; now < hours * 3_600_000; ) {
    const from = stateOf({ attempts, request: requestOf({ deadline_at: 1e12 }) });
    const { orders, tried_again_at = now } = planOrders(from, only, 3, { ...moment, now, retries });
    const [order] = orders;
    if (order === undefined) {
      now = Math.max(now + 1_000, Math.ceil(tried_again_at));
      continue;
    }
    const tried = (order.offers ?? []).slice(0, tries).map(({ key }) => key);
    made.push({ at: now, tried });
    const [reason] = short('capacity', 'x');
    const rest = (order.offers ?? []).length > tried.length;
    attempts = [
      ...attempts.filter(({ created_at }) => created_at > now - 900_000),
      attemptOf(made.length, {
        created_at: now,
        sent_at: now,
        order: { machine_count: 3, template: { template_id: 'small' }, tags: {}, offers: [...(order.offers ?? [])] },
        shortfall: [
          ...tried.map((offer) => ({ ...(reason as Shortfall), offer })),
          ...(rest ? [{ kind: 'capacity' as const, code: 'c', message: 'm', lack: 'untried' as const }] : []),
        ],
      }),
    ];
    now += 1_000;
  }
  return made;
}

for (const [offers_per_launch, most] of variants([
  ['one', 1],
  ['many', 3],
] as const)) {
  test(`a persistent request with 120 offers makes few attempts, and tries every offer again and again: ${offers_per_launch}`, (t) => {
    const made = playShortage(120, most, 2, offers_per_launch);
    for (const { at } of made) {
      const since = made.filter((each) => each.at > at - 180_000 && each.at <= at);
      t.true(since.length <= 60, `${since.length} attempts in three minutes at ${at}`);
    }
    const hourMs = 3_600_000;
    for (const hour of [0, 1]) {
      const tried = new Set(
        made.filter(({ at }) => at >= hour * hourMs && at < (hour + 1) * hourMs).flatMap((each) => each.tried),
      );
      t.is(tried.size, 120, `in hour ${hour}`);
    }
  });
}

test('an attempt that lacked capacity in one part of its offer does not use up the offer; a part that lacks it again does', (t) => {
  const part = (number: number, zone: string) => ({
    ...closed(number, short('capacity', `a|${zone}`)),
    created_at: number,
  });
  const only = [option('east', { offers: [{ key: 'a' }] })];
  const zones = [...'uvwxyz'].map((zone, at) => part(at + 1, zone));
  t.deepEqual(keys(stateOf({ attempts: zones }), only), [['east', 'a']]);
  const repeated = [1, 2, 3, 4].map((number) => part(number, 'u'));
  t.deepEqual(keys(stateOf({ attempts: repeated.slice(0, 3) }), only), [['east', 'a']]);
  t.deepEqual(keys(stateOf({ attempts: repeated }), only), []);
  const together = repeated.map((each) => ({ ...each, created_at: 0, sent_at: 1, answered_ms: 5 }));
  t.deepEqual(keys(stateOf({ attempts: together }), only), [['east', 'a']]);
  const whole = closed(3, short('capacity', 'a'));
  const rounds = [part(1, 'u'), part(2, 'v'), whole, part(4, 'u'), part(5, 'v')];
  t.deepEqual(keys(stateOf({ attempts: rounds }), only, { now: 400_000 }), [['east', 'a']]);
});
