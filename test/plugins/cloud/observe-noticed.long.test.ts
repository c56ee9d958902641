import test from 'ava';
import type { Watched } from '../../../core/index.ts';
import { inStatus, knowing, steadyStage } from './steady-support.ts';

/** The core observes each attempt once in five minutes, and each minute a fifth of the machines. */
const slots = 5;

for (const [orders, machines] of [
  [10, 1_000],
  [15, 660],
] as const)
  test(`about ten thousand machines at rest in ${orders} orders, whose notices arrive, cost a few calls in every minute`, async (t) => {
    t.timeout(300_000);
    const there = await steadyStage();
    t.teardown(there.close);
    const all: Watched[] = [];
    for (let order = 0; order < orders; order++) all.push(await there.steady(machines, `subnet-${(order % 2) + 1}`));
    // After a start all are observed at once.
    await there.observe(all);
    const counts: number[] = [];
    for (let minute = 0; minute < 30; minute++) {
      there.pass(60_000);
      const due = all.filter((_, index) => index % slots === minute % slots);
      const { seen, calls } = await there.observe(due);
      counts.push(Object.values(calls).reduce((sum, count) => sum + count, 0));
      t.deepEqual(
        inStatus(seen, 'running'),
        due.map(() => machines),
      );
      for (const [index, each] of due.entries()) all[all.indexOf(each)] = knowing(each, seen[index]);
    }
    t.log(`${counts.reduce((sum, count) => sum + count, 0) / counts.length} calls a minute, ${counts}`);
    t.true(Math.max(...counts) <= 6, `${counts}`);
  });
