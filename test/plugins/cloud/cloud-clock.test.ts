import test from 'ava';
import { cloudClock } from '../../../plugins/cloud/connection/cloud-clock.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const hour = 3_600_000;

test('times of the cloud are converted to the clock of the broker, which may be wrong', (t) => {
  const clock = new FakeClock();
  const cloud = cloudClock(clock);
  const launched = new Date(clock.now() - 5_000);
  t.is(cloud.now(), clock.now());
  t.is(cloud.toBrokerTime(launched), launched.toISOString());

  // The broker's clock was set forward by an hour, the cloud's goes on.
  const there = clock.now();
  clock.jump(hour);
  cloud.adjust(new Date(there).toUTCString());
  t.is(cloud.now(), there);
  t.is(Date.parse(cloud.toBrokerTime(launched)), clock.now() - 5_000);

  clock.jump(-2 * hour);
  cloud.adjust(new Date(there).toUTCString());
  t.is(cloud.now(), there);
  t.is(Date.parse(cloud.toBrokerTime(launched.toISOString())), clock.now() - 5_000);
});

test('a small difference and an answer without a date do not correct the clock', (t) => {
  const clock = new FakeClock();
  const cloud = cloudClock(clock);
  cloud.adjust(new Date(clock.now() - 59_000).toUTCString());
  t.is(cloud.now(), clock.now());
  const there = clock.now() - hour;
  cloud.adjust(new Date(there).toUTCString());
  for (const date of [undefined, '', 'yesterday']) cloud.adjust(date);
  t.is(cloud.now(), there);
});
