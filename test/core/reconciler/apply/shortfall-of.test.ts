import test from 'ava';
import { shortfallOf } from '../../../../core/reconciler/apply/shortfall-of.ts';
import type { Shortfall } from '../../../../core/model/shortfall.ts';

const lack = (offer: string, count?: number, code = 'ICE'): Shortfall => ({
  offer,
  kind: 'capacity',
  code,
  message: `No more ${offer}.`,
  ...(count === undefined ? {} : { count }),
});
const failed: Shortfall = { kind: 'unavailable', code: 'MACHINE_FAILED', message: 'Never ready.', count: 2 };

type Row = readonly [
  what: string,
  told: readonly (readonly Shortfall[])[],
  beside: readonly Shortfall[],
  missing: number,
  counts: Readonly<Record<string, number | undefined>>,
];
const rows: readonly Row[] = [
  ['nothing was said', [], [], 3, {}],
  ['one reason for all', [[lack('a', 2)]], [], 2, { a: 2 }],
  [
    'two offers lacked the same two: the last accounts for them',
    [[lack('a', 2)], [lack('b', 2)]],
    [],
    2,
    { a: undefined, b: 2 },
  ],
  ['the same offer lacked the same two in two attempts', [[lack('a', 2)], [lack('a', 2)]], [], 2, { a: 2 }],
  [
    'what the last does not account for goes to the one before',
    [[lack('a', 3)], [lack('b', 1)]],
    [],
    3,
    { a: 2, b: 1 },
  ],
  ['attempts side by side each lacked their own', [[lack('a', 5)], [lack('a', 5)]], [], 10, { a: 10 }],
  ['one attempt lacked several offers', [[lack('a', 1), lack('b', 2)]], [], 3, { a: 1, b: 2 }],
  ['some of the missing came of another attempt', [[lack('a', 4)]], [], 1, { a: 1 }],
  ['a reason without a count accounts for none', [[lack('a')], [lack('b', 1)]], [], 2, { a: undefined, b: 1 }],
  ['machines that failed, and whose places were not filled again', [], [failed], 2, { undefined: 2 }],
  [
    'machines that failed, and for whom none could be had',
    [[lack('a', 2)]],
    [failed],
    2,
    { a: 2, undefined: undefined },
  ],
  ['what an attempt was told beats what is known otherwise', [[lack('a', 1)]], [lack('a', 7)], 1, { a: 1 }],
  ['nothing is missing', [[lack('a', 2)]], [failed], 0, { a: undefined, undefined: undefined }],
];
for (const [what, told, beside, missing, counts] of rows)
  test(`shortfall: ${what}`, (t) => {
    const found = shortfallOf(told, beside, missing);
    t.deepEqual(Object.fromEntries(found.map(({ offer, count }) => [String(offer), count])), counts);
    t.true(found.reduce((sum, { count = 0 }) => sum + count, 0) <= missing);
    for (const each of found) t.false('count' in each && each.count === undefined, 'an absent count is no field');
  });
