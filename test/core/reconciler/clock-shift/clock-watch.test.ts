import test from 'ava';
import { ClockWatch } from '../../../../core/reconciler/clock-shift/clock-watch.ts';

/** A watch whose clock starts at 0, and is set by each of `jumps` after 100 s of its own time. */
function watchAfter(jumps: readonly number[], laterMs = 1_000) {
  let [wall, monotonic] = [0, 0];
  const watch = new ClockWatch({ now: () => wall, monotonic: () => monotonic, sleep: async () => {} }, 1_000, 2_000);
  const pass = (ms: number) => {
    wall += ms;
    monotonic += ms;
  };
  for (const ms of jumps) {
    pass(100_000);
    watch.check();
    wall += ms;
    pass(1_000);
    watch.check();
  }
  pass(laterMs);
  return { watch, now: () => wall };
}

for (const [what, jumps, time, missed] of [
  ['a time before a forward shift', [60_000], 90_000, 60_000],
  ['a time after a forward shift', [60_000], 161_500, 0],
  ['a time between a forward shift and its discovery', [60_000], 160_500, 0],
  ['a time before a backward shift', [-60_000], 95_000, -60_000],
  ['a time after a backward shift', [-60_000], 41_500, 0],
  ['a time before two forward shifts', [60_000, 60_000], 90_000, 120_000],
  ['a time between two forward shifts', [60_000, 60_000], 200_000, 60_000],
  ['a time between a backward shift and its discovery', [-60_000], 40_500, 0],
  ['a time before a backward and a forward shift', [-600_000, 10_000], 95_000, -590_000],
  ['a time between a backward and a forward shift', [-600_000, 10_000], -450_000, 10_000],
  ['a time before a forward and a backward shift', [10_000, -600_000], 90_000, -590_000],
] as const)
  test(`${what} misses ${missed / 1_000} s`, (t) => {
    t.is(watchAfter(jumps).watch.missedBy(time), missed);
  });

for (const jumps of [[6_000, -30_000], [30_000, -6_000], [-30_000, 6_000], [6_000, -30_000, 20_000, -90_000], []])
  for (const laterMs of [0, 8_000, 3_600_000])
    test(`a time of now misses nothing, ${laterMs / 1_000} s after shifts by [${jumps.join(', ')}]`, (t) => {
      const { watch, now } = watchAfter(jumps, laterMs);
      t.is(watch.missedBy(now()), 0);
    });

test('a time before the discovery of a suspension that follows a backward shift misses nothing', (t) => {
  let wall = 0;
  let monotonic = 0;
  const watch = new ClockWatch({ now: () => wall, monotonic: () => monotonic, sleep: async () => {} }, 1_000, 2_000);
  for (const ms of [-1_320_000, 906_000]) {
    monotonic += 5_000;
    wall += 5_000 + ms;
    watch.check();
  }
  t.is(watch.missedBy(wall - 1), 0);
});

test('two shifts with nothing in between: what was written after both misses nothing', (t) => {
  let wall = 0;
  let monotonic = 0;
  const watch = new ClockWatch({ now: () => wall, monotonic: () => monotonic, sleep: async () => {} }, 1_000, 2_000);
  for (const ms of [6_000, -30_000]) {
    wall += ms;
    watch.check();
  }
  wall += 14_000;
  monotonic += 14_000;
  t.is(watch.missedBy(wall), 0);
});

test('a time while this process stood still after a backward and a forward shift misses nothing', (t) => {
  let wall = 0;
  let monotonic = 0;
  const watch = new ClockWatch({ now: () => wall, monotonic: () => monotonic, sleep: async () => {} }, 1_000, 2_000);
  wall -= 660_000;
  watch.check();
  wall += 60_000;
  const time = wall + 1_000;
  monotonic += 20_000;
  wall += 20_000;
  watch.check();
  t.is(watch.missedBy(time), 0);
});
