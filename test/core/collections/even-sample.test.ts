import test from 'ava';
import fc from 'fast-check';
import { evenSample } from '../../../core/collections/even-sample.ts';

const indexes = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

test('a sample has at most so many items, from the first one on with equal gaps', (t) => {
  fc.assert(
    fc.property(fc.nat(3_000), fc.integer({ min: 1, max: 600 }), (length, most) => {
      const sample = evenSample(indexes(length), most);
      t.true(sample.length <= most);
      t.is(sample.length > 0, length > 0);
      const step = sample[1] ?? 1;
      t.deepEqual(
        sample,
        indexes(sample.length).map((index) => index * step),
      );
      t.true(length - (sample.at(-1) ?? 0) <= Math.max(step, Math.ceil(length / most)), 'it reaches to the end');
    }),
  );
});

test('a list that is not longer is its own sample', (t) => {
  t.deepEqual(evenSample(['a', 'b', 'c'], 3), ['a', 'b', 'c']);
});
