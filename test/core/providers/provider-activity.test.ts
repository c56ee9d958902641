import test from 'ava';
import { quantileOf, type CallTiming } from '../../../core/providers/provider-activity.ts';

const timing = (counts: readonly (readonly [number | null, number])[]): CallTiming => ({
  provider_instance: 'east',
  action: 'RunInstances',
  outcome: 'ok',
  count: counts.at(-1)?.[1] ?? 0,
  sum_ms: 0,
  buckets: counts,
});

test('a quantile is read off the buckets, between whose bounds calls are evenly spread', (t) => {
  const calls = timing([
    [10, 0],
    [50, 10],
    [100, 20],
    [null, 20],
  ]);
  t.is(quantileOf([], 0.5), undefined);
  t.is(quantileOf([calls], 0.5), 50);
  t.is(quantileOf([calls], 0.75), 75);
  t.is(quantileOf([calls], 1), 100);
});

test('calls of several outcomes count together, and of those beyond the last bound only the bound is known', (t) => {
  const slow = timing([
    [10, 0],
    [null, 3],
  ]);
  const fast = timing([
    [10, 1],
    [null, 1],
  ]);
  t.is(quantileOf([slow, fast], 0.5), 10);
  t.is(quantileOf([slow, fast], 0.25), 10);
  t.is(quantileOf([fast], 0.5), 5);
});
