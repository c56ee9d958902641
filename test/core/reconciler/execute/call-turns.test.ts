import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const noAnswer = () => new ProviderFault('unavailable', 'connect ETIMEDOUT');

/** Requests of a machine each, more than an instance is asked at once, at a cloud that answers nothing. */
async function manyAtSilent(count: number, others: Readonly<Record<string, ScriptedCloud>>) {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east, ...others });
  const { clock } = bench;
  const called = { launches: 0 };
  east.before = async () => {
    called.launches += 1;
    await clock.sleep(10_000);
    throw noAnswer();
  };
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await bench.request(1));
  return { bench, east, ids, called };
}

test('requests that wait for their turn at an instance that stops answering go elsewhere when it counts as unhealthy', async (t) => {
  const west = new ScriptedCloud();
  const { bench, east, ids, called } = await manyAtSilent(200, { west });
  // An answer to something else came after 10 seconds, so the instance is silent for 30 seconds after 50 of them.
  await bench.clock.advance(60_000);
  t.is(west.live().length, 200);
  t.is(new Set(west.orders.map(({ request_id }) => request_id)).size, ids.length);
  t.deepEqual(east.live(), []);
  t.true(called.launches <= 6 * 16, `${called.launches} were called there`);
  await bench.close();
});

test('a cancelled request that waits for its turn at a silent instance ends at once', async (t) => {
  const { bench, ids } = await manyAtSilent(40, {});
  await bench.clock.advance(5_000);
  const last = ids.at(-1) ?? t.fail();
  await bench.requestCommands.cancel(last, undefined);
  await bench.clock.advance(1_000);
  t.is((await bench.status(last)).request.status, 'cancelled');
  await bench.close();
});

test('where no other instance can serve, the calls that waited are made in their turn', async (t) => {
  const { bench, east, ids } = await manyAtSilent(40, {});
  await bench.clock.advance(60_000);
  east.before = async () => undefined;
  await bench.clock.advance(60_000);
  t.is(east.live().length, ids.length);
  await bench.close();
});
