import test from 'ava';
import { longestWaitMs, msUntil } from '../../../../core/reconciler/state/ms-until.ts';

const now = 1_000_000_000;
const cases: readonly (readonly [string, number | undefined, number])[] = [
  ['a moment to come', now + 500, 500],
  ['a moment that has come', now, 0],
  ['a moment that is over', now - 5, 0],
  ['no moment', undefined, 0],
  ['as far away as anything is put off', now + longestWaitMs, longestWaitMs],
  ['farther away: the clock was set back', now + longestWaitMs + 1, 0],
];

for (const [title, moment, ms] of cases) test(title, (t) => t.is(msUntil(moment, now), ms));
