import test from 'ava';
import { withinTime } from '../../../../core/schema/checks/within-time.ts';

const backtrack = () => /^(a+)+$/.test(`${'a'.repeat(40)}!`);

test('what ends in time has its result, also undefined, and what it throws is thrown', (t) => {
  t.deepEqual(
    withinTime(() => 7),
    { result: 7 },
  );
  t.deepEqual(
    withinTime(() => undefined),
    { result: undefined },
  );
  const error = new TypeError('no');
  t.is(
    t.throws(() =>
      withinTime(() => {
        throw error;
      }),
    ),
    error,
  );
  const thrown = { by: undefined as unknown };
  try {
    withinTime(() => {
      throw null;
    });
  } catch (by) {
    thrown.by = by;
  }
  t.deepEqual(thrown, { by: null });
  t.deepEqual(
    withinTime(() => withinTime(() => 8)),
    { result: { result: 8 } },
  );
});

test('what does not end is ended, again and again', (t) => {
  for (let n = 0; n < 3; n += 1) {
    t.is(withinTime(backtrack), undefined);
    t.deepEqual(
      withinTime(() => n),
      { result: n },
    );
  }
});

test('what got no processor in its time runs again', (t) => {
  let runs = 0;
  const result = withinTime(() => {
    runs += 1;
    // The thread sleeps, as on a host that has no time for it.
    if (runs < 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    return runs;
  });
  t.deepEqual(result, { result: 3 });
});
