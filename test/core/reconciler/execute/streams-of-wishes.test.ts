import test from 'ava';
import { loopBench } from '../../../support/loop-bench.ts';
import { noAnswerAfter } from '../../../support/no-answer.ts';
import { stateMessage } from '../../../support/notices-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const noMore = { kind: 'capacity', code: 'ICE', message: 'No more.', count: 1 } as const;

for (const isReady of [false, true])
  test(`returns one by one do not put off the ${isReady ? 'completion' : 'time-out'} while two instances hang`, async (t) => {
    const [a, b, c] = [new ScriptedCloud(), new ScriptedCloud(), new ScriptedCloud()];
    const bench = await loopBench({ a, b, c });
    const { clock } = bench;
    for (const cloud of [a, b]) cloud.scripts.push((order) => ({ ...cloud.start(order, 1), shortfall: [noMore] }));
    const id = await bench.request(92, { timeout: 120, ready_timeout: 36_000 });
    await clock.advance(8_000);
    a.boot();
    b.boot();
    c.boot(...c.live().slice(0, 89));
    await clock.advance(4_000);
    a.before = noAnswerAfter(clock, 58_000);
    await clock.advance(29_000);
    b.before = noAnswerAfter(clock, 58_000);
    await clock.advance(60_000);
    if (isReady) c.boot();
    for (let n = 1; n <= 10; n++) {
      await bench.requestService.returnMachines([{ machine_id: `m-${n}`, provider_instance: 'c' }], 600, {});
      await clock.advance(10_000);
    }
    t.is((await bench.status(id)).request.status, 'completed');
    await clock.advance(5_000);
    t.is(c.live().length, isReady ? 80 : 79);
    await bench.close();
  });

test('machines are released although a return comes during each commit', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1_000 });
  const bench = await loopBench({ east });
  const { clock } = bench;
  await bench.request(500);
  await clock.advance(3_000);
  east.boot();
  await clock.advance(5_000);
  bench.storage.before = async (method) => {
    if (method === 'commit') await clock.sleep(20);
  };
  for (let n = 1; n <= 100; n++) {
    await bench.requestService.returnMachines([`m-${n}`], 600, {});
    await clock.advance(20);
  }
  t.true(east.live().length < 490, `${500 - east.live().length} released within two seconds`);
  bench.storage.before = async () => undefined;
  await clock.advance(10_000);
  t.is(east.live().length, 400);
  await bench.close();
});

test('a returned machine is released although a notice comes during each commit', async (t) => {
  const east = Object.assign(new ScriptedCloud({ machines_per_launch: 1_000 }), { notices: true });
  const bench = await loopBench({ east });
  const { clock } = bench;
  await bench.request(100, { timeout: 36_000 });
  await clock.advance(3_000);
  east.boot(...east.live().slice(0, 99));
  await clock.advance(5_000);
  const slow = () => clock.sleep(100);
  east.before = slow;
  bench.storage.before = async (method) => (method === 'commit' ? slow() : undefined);
  const tell = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      const at = new Date(clock.now()).toISOString();
      east.messages = [stateMessage(at, `m-${1 + (n % 98)}`, 'shutting-down', at)];
      await clock.advance(100);
    }
  };
  await tell(100);
  await bench.requestService.returnMachines(['m-99'], 600, {});
  await tell(50);
  t.false(east.live().includes('m-99'));
  await bench.close();
});

test('who asks for fresh observations is told although notices come all the time', async (t) => {
  const east = Object.assign(new ScriptedCloud(), { notices: true });
  const bench = await loopBench({ east });
  const { clock } = bench;
  const id = await bench.request(3);
  await clock.advance(3_000);
  east.boot();
  await clock.advance(15_000);
  east.before = () => clock.sleep(100);
  const tell = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      const at = new Date(clock.now()).toISOString();
      east.messages = [stateMessage(at, `m-${1 + (n % 3)}`, 'shutting-down', at)];
      await clock.advance(1_000);
    }
  };
  await tell(20);
  const before = bench.refreshed.length;
  bench.refresh([id]);
  await tell(10);
  t.true(bench.refreshed.slice(before).includes(id));
  await bench.close();
});
