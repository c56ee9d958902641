import test from 'ava';
import type { Watched } from '../../../core/index.ts';
import { knowing, steadyStage } from './steady-support.ts';

test('ten thousand machines at rest whose notices arrive cost at most ten calls a minute', async (t) => {
  t.timeout(120_000);
  const there = await steadyStage();
  t.teardown(there.close);
  let watched: Watched[] = [];
  for (let order = 0; order < 10; order++) watched.push(await there.steady(1_000, `subnet-${(order % 2) + 1}`));
  let calls = 0;
  const minutes = 60;
  // The core observes them every five minutes.
  for (let minute = 0; minute < minutes; minute += 5) {
    there.pass(300_000);
    const answer = await there.observe(watched);
    calls += Object.values(answer.calls).reduce((sum, count) => sum + count, 0);
    watched = watched.map((each, index) => knowing(each, answer.seen[index]));
  }
  t.log(`${calls / minutes} calls a minute`);
  t.true(calls <= 10 * minutes, `${calls / minutes} calls a minute`);
});
