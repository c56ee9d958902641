import test from 'ava';
import { rateLimits, type Allowance } from '../../../../host/rest/limits/rate-limits.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const numbers = { provider: 1, template: 3, request: 2, validation: 5, read: 9 };

function counter(most?: number) {
  const clock = new FakeClock();
  const limits = rateLimits(numbers, clock, most);
  return {
    clock,
    take: (client: string, group: keyof typeof numbers = 'request') => limits.take(group, client) as Allowance,
  };
}

test('calls are counted down to none, and then refused until the minute is over', async (t) => {
  const { clock, take } = counter();
  const reset_at = clock.now() / 1000 + 60;
  t.deepEqual(take('a'), { allowed: true, limit: 2, remaining: 1, reset_at, wait_s: 60 });
  await clock.advance(59_000);
  t.deepEqual(take('a'), { allowed: true, limit: 2, remaining: 0, reset_at, wait_s: 1 });
  t.deepEqual(take('a'), { allowed: false, limit: 2, remaining: 0, reset_at, wait_s: 1 });
  await clock.advance(999);
  t.false(take('a').allowed);
  await clock.advance(1);
  t.deepEqual(take('a'), { allowed: true, limit: 2, remaining: 1, reset_at: reset_at + 60, wait_s: 60 });
});

test('clients and groups do not count for each other', (t) => {
  const { take } = counter();
  take('a');
  take('a');
  t.false(take('a').allowed);
  t.true(take('b').allowed);
  t.is(take('a', 'template').remaining, 2);
});

test('a jump of the wall clock neither frees a client nor locks it out', async (t) => {
  const { clock, take } = counter();
  take('a');
  take('a');
  clock.jump(3_600_000);
  t.false(take('a').allowed);
  clock.jump(-7_200_000);
  await clock.advance(60_000);
  t.true(take('a').allowed);
});

test('many clients do not fill the memory: those whose minute is over go, then the oldest', async (t) => {
  const { clock, take } = counter(3);
  for (const client of ['a', 'b', 'c']) {
    take(client);
    take(client);
    await clock.advance(1_000);
  }
  t.false(take('a').allowed);
  take('d');
  t.false(take('b').allowed, 'only one had to go');
  t.false(take('c').allowed);
  t.true(take('a').allowed, 'the oldest went');
  // `b` went for `a`; the minute of `c` is over before that of `d` and `a`.
  await clock.advance(58_500);
  t.is(take('e').remaining, 1);
  t.is(take('d').remaining, 0);
});
