import test from 'ava';
import { isFault, systemClock } from '../../../core/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { knowing } from './steady-support.ts';
import { launched } from './launched.ts';
import { sleep, stage } from './support.ts';

test('ten thousand machines of a hundred requests are observed in a dozen calls, and at rest in fewer than sixty a minute', async (t) => {
  t.timeout(300_000);
  let ahead = 0;
  const there = await stage({}, { clock: { ...systemClock, monotonic: () => performance.now() + ahead } });
  t.teardown(there.close);
  const watched = await launched(there, 100, 100);
  await sleep(30);
  const seen = await runInstances.observe(there.session, watched, there.call);
  t.true(there.calls('DescribeInstances') <= 13, String(there.calls('DescribeInstances')));
  t.is(seen.length, 100);
  for (const [i, each] of seen.entries()) {
    if (isFault(each)) return t.fail();
    t.deepEqual(
      each.machines.map((machine) => machine.machine_id).toSorted(),
      watched[i]?.known.map((machine) => machine.machine_id).toSorted(),
    );
    t.true(each.machines.every((machine) => machine.ready));
  }

  // A minute at rest: two looks.
  const resting = watched.map((each, i) => knowing(each, seen[i]));
  const before = there.simulator.audit().length;
  for (let round = 0; round < 2; round++) {
    for (const each of await runInstances.observe(there.session, resting, there.call))
      t.is(isFault(each) || each.machines.length, 100);
    ahead += 30_000;
  }
  const calls = there.simulator.audit().slice(before);
  t.true(calls.length < 60 && calls.length >= 20, String(calls.length));
  t.true(calls.filter(({ action }) => action === 'DescribeInstances').length < 4);
});
