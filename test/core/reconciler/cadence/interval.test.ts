import test from 'ava';
import fc from 'fast-check';
import { intervalOf } from '../../../../core/reconciler/cadence/interval.ts';

const bounds = { least: 200, most: 2_000 };

for (const [title, age, expected, wait] of [
  ['just begun', 0, undefined, 200],
  ['in proportion to the age', 10_000, undefined, 500],
  ['no longer than the common interval', 600_000, undefined, 2_000],
  ['long before the expected change', 10_000, { from: 60_000, to: 62_000 }, 2_000],
  ['shortly before the expected change', 59_000, { from: 60_000, to: 62_000 }, 1_000],
  ['within a short window', 60_500, { from: 60_000, to: 62_000 }, 200],
  ['within a long window', 60_500, { from: 60_000, to: 100_000 }, 1_000],
  ['after the window', 72_000, { from: 60_000, to: 62_000 }, 500],
] as const)
  test(`the wait for the next observation: ${title}`, (t) => {
    t.is(intervalOf(age, expected, bounds), wait);
  });

test('a wait is never outside its bounds', (t) => {
  const ms = fc.integer({ min: -1_000_000, max: 10_000_000 });
  fc.assert(
    fc.property(ms, fc.option(fc.record({ from: ms, to: ms }), { nil: undefined }), (age, expected) => {
      const wait = intervalOf(age, expected, bounds);
      return wait >= bounds.least && wait <= bounds.most;
    }),
  );
  t.pass();
});
