import test from 'ava';
import { CleanUp } from '../../../../../core/requests/clean-up.ts';
import { loopBench } from '../../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../../support/scripted-cloud.ts';

test('the sweep finds living machines after all orders of the instance were purged', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, {}, {}, 'terminate');
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  await bench.requestService.returnMachines(['m-1'], 600, {});
  await bench.clock.advance(100_000);
  await bench.clock.advance(1_800_000);
  await new CleanUp(bench.store, bench.clock).requests(0.01);
  const born = new Date(bench.clock.now() - 3_600_000).toISOString();
  east.listed = [
    {
      kind: 'machine',
      id: 'm-9',
      request_id: id,
      attempt: 1,
      created_at: born,
      machine: { machine_id: 'm-9', status: 'running', ready: true },
    },
  ] as never;
  await bench.clock.advance(2_400_000);
  t.deepEqual([...new Set(east.removed)], ['m-9']);
  await bench.close();
});

test('a found machine of another request blocks no other signal', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const a = await bench.request(1);
  await bench.clock.advance(1_000);
  const b = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  const [theirs] = east.live(b);
  await bench.store.commit([
    {
      op: 'insert',
      kind: 'signal',
      record: {
        signal_id: 'w-1',
        kind: 'found',
        request_id: a,
        machines: [],
        found: { attempt: 1, reports: [{ machine_id: theirs!, status: 'running', ready: true }] },
        created_at: bench.clock.now(),
        applied: false,
      },
    },
  ]);
  await bench.clock.advance(2_000);
  const [mine] = east.live(a);
  await bench.requestService.returnMachines([mine!], 600, {});
  await bench.clock.advance(300_000);
  t.deepEqual(east.live(a), []);
  await bench.close();
});
