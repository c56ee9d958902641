import test from 'ava';
import { checkBudgets } from '../../config/checks/check-budgets.ts';
import type { BudgetEntry } from '../../config/schema.ts';
import type { Finding } from '../../core/contract/findings.ts';

const entry = (given: Partial<BudgetEntry>): BudgetEntry => ({ name: 'a', match: {}, max_machines: 1, ...given });
const { max_machines: _, ...limitless } = entry({});

const cases: readonly (readonly [
  string,
  readonly BudgetEntry[],
  readonly (readonly [Finding['level'], string, RegExp])[],
])[] = [
  ['sound budgets have no findings', [entry({}), entry({ name: 'b', match: { provider_instance: 'east' } })], []],
  ['a limit of 0 is a limit', [entry({ max_machines: 0 })], []],
  [
    'a name that two budgets share is an error, which names the first',
    [entry({}), entry({ name: 'b' }), entry({}), entry({})],
    [
      ['error', '/budgets/2/name', /^'a' is already the name of \/budgets\/0$/],
      ['error', '/budgets/3/name', /\/budgets\/0$/],
    ],
  ],
  [
    'a budget without a limit is an error, which names the limits',
    [limitless],
    [['error', '/budgets/0', /max_machines, max_vcpus, max_usd_per_hour, max_usd_per_day/]],
  ],
  [
    'a price that no limit uses is a warning',
    [entry({ unknown_price_usd: 1 })],
    [['warning', '/budgets/0/unknown_price_usd', /no effect/]],
  ],
  ['a price with a limit for an hour has an effect', [entry({ unknown_price_usd: 1, max_usd_per_hour: 2 })], []],
  ['a price with a limit for a day has an effect', [entry({ unknown_price_usd: 1, max_usd_per_day: 2 })], []],
  [
    'an instance that is not configured is a warning, with the name that is meant',
    [entry({ match: { provider_instance: 'eats' } })],
    [['warning', '/budgets/0/match/provider_instance', /no provider instance 'eats' is configured here.*'east'/]],
  ],
  [
    'all findings come at once',
    [{ ...limitless, unknown_price_usd: 1, match: { provider_instance: 'zzz' } }],
    [
      ['error', '/budgets/0', /limits nothing/],
      ['warning', '/budgets/0/unknown_price_usd', /./],
      ['warning', '/budgets/0/match/provider_instance', /'zzz'/],
    ],
  ],
];

for (const [title, budgets, expected] of cases)
  test(title, (t) => {
    const found = checkBudgets(budgets, ['east', 'west']);
    t.deepEqual(
      found.map(({ level, path }) => [level, path]),
      expected.map(([level, path]) => [level, path]),
    );
    for (const [index, [, , message]] of expected.entries()) t.regex(found[index]?.message ?? '', message);
  });
