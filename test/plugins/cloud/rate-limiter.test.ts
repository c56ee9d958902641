import test from 'ava';
import fc from 'fast-check';
import { isFault } from '../../../core/index.ts';
import { rateLimiter } from '../../../plugins/cloud/connection/rates/rate-limiter.ts';
import { until } from '../../support/boot-broker.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { stage } from './support.ts';

const never = new AbortController().signal;
const small = {
  RunInstances: { requests: { capacity: 2, per_second: 1 }, machines: { capacity: 10, per_second: 1 } },
};

/** Calls one after the other at once; returns when each went out, in ms from the start, or the fault's code. */
async function outcomes(
  clock: FakeClock,
  calls: readonly (() => Promise<void>)[],
  forMs: number,
): Promise<(number | string)[]> {
  const start = clock.monotonic();
  const results: (number | string)[] = [];
  calls.forEach((call, index) =>
    call().then(
      () => void (results[index] = Math.round(clock.monotonic() - start)),
      (error: unknown) => void (results[index] = isFault(error) ? error.code : 'aborted'),
    ),
  );
  await clock.advance(forMs);
  return results;
}

test('calls beyond the bucket wait in order', async (t) => {
  const clock = new FakeClock();
  const mine = rateLimiter(clock, small);
  const calls = Array.from({ length: 4 }, () => () => mine.acquire({ action: 'RunInstances' }, 1, never));
  t.deepEqual(await outcomes(clock, calls, 10_000), [0, 0, 1000, 2000]);
});

test('calls and machines are limited separately', async (t) => {
  const clock = new FakeClock();
  const mine = rateLimiter(clock, small);
  t.deepEqual(
    await outcomes(
      clock,
      [
        () => mine.acquire({ action: 'RunInstances' }, 10, never),
        () => mine.acquire({ action: 'RunInstances' }, 3, never),
      ],
      10_000,
    ),
    [0, 3000],
  );
});

test('a call that would wait too long is refused with its wait, and takes no tokens', async (t) => {
  const clock = new FakeClock();
  const mine = rateLimiter(clock, {
    RunInstances: { requests: { capacity: 50, per_second: 10 }, machines: { capacity: 10, per_second: 0.5 } },
  });
  await mine.acquire({ action: 'RunInstances' }, 10, never);
  const fault = await t.throwsAsync(mine.acquire({ action: 'RunInstances' }, 10, never));
  t.like(fault, { kind: 'throttled', code: 'OwnRateLimit', retry_after_ms: 20_000 });
  t.deepEqual(await outcomes(clock, [() => mine.acquire({ action: 'RunInstances' }, 2, never)], 10_000), [4000]);
});

test('a call of one action does not delay another action', async (t) => {
  const clock = new FakeClock();
  const mine = rateLimiter(clock, small);
  for (let call = 0; call < 2; call++) await mine.acquire({ action: 'RunInstances' }, 5, never);
  t.deepEqual(await outcomes(clock, [() => mine.acquire({ action: 'DescribeInstances' }, 0, never)], 100), [0]);
});

test('throttling halves the rate of an action, which recovers with time', async (t) => {
  const clock = new FakeClock();
  const mine = rateLimiter(clock, small);
  mine.throttled({ action: 'RunInstances' });
  t.deepEqual(await outcomes(clock, [() => mine.acquire({ action: 'RunInstances' }, 1, never)], 10_000), [2000]);
  await clock.advance(60_000);
  for (let call = 0; call < 2; call++) await mine.acquire({ action: 'RunInstances' }, 1, never);
  t.deepEqual(await outcomes(clock, [() => mine.acquire({ action: 'RunInstances' }, 1, never)], 10_000), [1000]);
});

test('a waiting call that is aborted returns its tokens', async (t) => {
  const clock = new FakeClock();
  const mine = rateLimiter(clock, small);
  for (let call = 0; call < 2; call++) await mine.acquire({ action: 'RunInstances' }, 1, never);
  const stop = new AbortController();
  const waiting = t.throwsAsync(mine.acquire({ action: 'RunInstances' }, 1, stop.signal), { any: true });
  stop.abort();
  await clock.advance(0);
  await waiting;
  t.deepEqual(await outcomes(clock, [() => mine.acquire({ action: 'RunInstances' }, 1, never)], 10_000), [1000]);
});

test('a call that needs more tokens than the bucket holds is sent when the bucket is full', async (t) => {
  const clock = new FakeClock();
  const mine = rateLimiter(clock, small);
  t.deepEqual(await outcomes(clock, [() => mine.acquire({ action: 'RunInstances' }, 500, never)], 100), [0]);
});

test('in any time span no more calls are sent than the bucket holds and refills', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 1, maxLength: 40 }), async (gaps) => {
      const clock = new FakeClock();
      const mine = rateLimiter(clock, { Describe: { requests: { capacity: 3, per_second: 2 } } });
      const went: number[] = [];
      for (const gap of gaps) {
        mine.acquire({ action: 'Describe' }, 0, never).then(
          () => void went.push(clock.monotonic()),
          () => undefined,
        );
        await clock.advance(gap);
      }
      await clock.advance(60_000);
      for (let from = 0; from < went.length; from++) {
        for (let to = from; to < went.length; to++) {
          const span = ((went[to] as number) - (went[from] as number)) / 1000;
          if (to - from + 1 > 3 + span * 2 + 1e-6) return false;
        }
      }
      return true;
    }),
    { numRuns: 60 },
  );
  t.pass();
});

test('with the rate limiter no call is throttled at the default rates of AWS; without it calls are', async (t) => {
  for (const [enabled, throttled] of [
    [true, 0],
    [false, 2],
  ] as const) {
    // The cloud and the broker have one clock, which stands still while the computer is slow.
    const clock = new FakeClock();
    const shared = { now: () => clock.now(), advance: () => undefined, reset: () => undefined };
    const stand = await stage({ rate_limits: { enabled } }, { clock }, { clock: shared });
    t.teardown(() => stand.close());
    stand.simulator.setKnobs({ throttle: { default_buckets: true } });
    const launch = () =>
      stand.session.write(
        (ec2) => new ec2.RunInstancesCommand({ ImageId: 'ami-1', InstanceType: 't3.micro', MinCount: 1, MaxCount: 1 }),
        stand.call,
      );
    const ended = Promise.allSettled(Array.from({ length: 7 }, launch));
    const sent = () => stand.calls('RunInstances');
    // A tenth of the bucket of five is a reserve: four at once, then two a second.
    for (const calls of enabled ? [4, 5, 6, 7] : [7]) {
      await until(async () => sent() >= calls);
      t.is(sent(), calls);
      await clock.advance(500);
    }
    const refused = stand.simulator.audit().filter(({ code }) => code === 'RequestLimitExceeded').length;
    t.is((await ended).filter(({ status }) => status === 'fulfilled').length, 7 - refused);
    t.is(refused, throttled);
  }
});

test('brokers that share an account send no more in sum than its bucket allows, while their parts change', async (t) => {
  const clock = new FakeClock();
  const parts = [1, 1 / 50];
  const limiters = [0, 1].map((which) =>
    rateLimiter(clock, { Describe: { requests: { capacity: 40, per_second: 10 } } }, () => parts[which] ?? 1),
  );
  const sent: number[] = [];
  const started = clock.monotonic();
  const stopped = new AbortController();
  for (const limiter of limiters)
    for (let caller = 0; caller < 30; caller++)
      void (async () => {
        while (!stopped.signal.aborted) {
          const late = await limiter.acquire({ action: 'Describe' }, 0, stopped.signal).catch(isFault);
          if (late === undefined) sent.push(clock.monotonic() - started);
          else await clock.sleep(1_000, stopped.signal);
        }
      })();
  await clock.advance(4_000);
  // The first one learns of the second, then the second of the smaller part of the first.
  parts[0] = 1 / 2;
  await clock.advance(4_000);
  parts[1] = 1 / 2;
  await clock.advance(20_000);
  parts[0] = 1;
  parts[1] = 1 / 50;
  await clock.advance(10_000);
  stopped.abort();
  await clock.advance(1);
  for (const from of sent) {
    const within = sent.filter((at) => at >= from && at < from + 5_000).length;
    t.true(within <= 40 * 1.02 + 5 * 10 * 1.02 + 2, `${within} calls in the 5 s from ${from}`);
  }
  const late = sent.filter((at) => at >= 18_000 && at < 28_000).length;
  t.true(late >= 95, `together they use the whole rate: ${late} calls in 10 s`);
});

test('a broker with a small part still sends a call that starts many machines', async (t) => {
  const clock = new FakeClock();
  const mine = rateLimiter(clock, small, () => 1 / 4);
  const calls = [3, 3].map((machines) => () => mine.acquire({ action: 'RunInstances' }, machines, never));
  // A quarter of the calls and machines, at a quarter of one a second.
  t.deepEqual(await outcomes(clock, calls, 30_000), [2000, 12_000]);
});
