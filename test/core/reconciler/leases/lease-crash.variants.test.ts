import test from 'ava';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';
import { variants } from '../../../support/variants.ts';

/** The commits from the end of a lease to the end of its return, and some more. */
const commits = Array.from({ length: 8 }, (_, index) => index + 1);

async function leasedBench(rows_per_commit?: number) {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, rows_per_commit === undefined ? {} : { rows_per_commit });
  const id = await bench.request(5, { lease: 60 });
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(5_000);
  const [machine] = (await bench.status(id)).machines;
  return { bench, east, id, expires_at: machine?.expires_at ?? 0 };
}

for (const commit of variants(commits, 3))
  test(`a broker that is killed before commit ${commit} after the end of a lease leaves one return`, async (t) => {
    const { bench, east, id, expires_at } = await leasedBench(4);
    await bench.clock.advance(expires_at - bench.clock.now() - 1);
    await bench.kill(commit);
    await bench.clock.advance(60_000);
    t.deepEqual(east.live(id), []);
    const returns = await bench.store.find('request', { where: { kind: 'return' } });
    t.deepEqual(
      returns.map(({ machine_count, status }) => [machine_count, status]),
      [[5, 'completed']],
    );
    t.is((await bench.store.find('event', { where: { type: 'machine.expired' } })).length, 1);
    await bench.close();
  });

for (const commit of variants(commits.slice(0, 4), 2))
  test(`an extension counts once when the broker is killed before commit ${commit} after it`, async (t) => {
    const { bench, east, id, expires_at } = await leasedBench(3);
    const ids = (await bench.status(id)).machines.map(({ machine_id }) => machine_id);
    const { done } = await bench.leaseCommands.extend(ids, 1_000);
    t.is(done[0]?.expires_at, expires_at + 1_000_000);
    await bench.leaseCommands.extend(['m-1'], 50);
    await bench.kill(commit);
    await bench.clock.advance(10_000);
    const ends = (await bench.status(id)).machines.map((machine) => (machine.expires_at ?? 0) - expires_at);
    t.deepEqual(ends, [1_050_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000]);
    await bench.clock.advance(expires_at + 1_000_000 - bench.clock.now() - 1);
    t.is(east.live(id).length, 5);
    await bench.clock.advance(120_000);
    t.is(east.live(id).length, 0);
    await bench.close();
  });
