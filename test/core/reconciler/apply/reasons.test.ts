import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

test('a request whose order was throttled until its time-out says so, beside the time-out', async (t) => {
  const east = new ScriptedCloud();
  for (let i = 0; i < 100; i++)
    east.scripts.push(() => new ProviderFault('throttled', 'Too many calls.', { code: 'RequestLimitExceeded' }));
  const bench = await loopBench({ east });
  const id = await bench.request(2, { timeout: 90 });
  await bench.clock.advance(200_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'failed');
  const codes = request.fulfilment?.shortfall.map(({ code, count }) => ({ code, count }));
  t.deepEqual(codes, [
    { code: 'RequestLimitExceeded', count: 2 },
    { code: 'TIMEOUT', count: undefined },
  ]);
  t.regex(request.message, /Too many calls\. The time-out of 90 s passed\./);
  await bench.close();
});

test('a request that is cancelled before its first order does not say that no provider can serve it', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  await bench.clock.advance(1_000);
  const id = await bench.request(2);
  await bench.requestCommands.cancel(id, 'not needed');
  await bench.clock.advance(5_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'cancelled');
  t.deepEqual(request.fulfilment?.shortfall, []);
  await bench.close();
});

test('the reason of a machine that failed stays, whatever the provider says of its end', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(1, { ready_timeout: 60, timeout: 90 });
  await bench.clock.advance(30_000);
  const [machine] = east.machines.values();
  if (machine) machine.report = { ...machine.report, message: 'User initiated shutdown' };
  east.shutsDownSlowly = true;
  await bench.clock.advance(35_000);
  t.is(machine?.report.status, 'shutting-down');
  await bench.clock.advance(30_000);
  for (const each of east.machines.keys()) east.kill(each);
  await bench.clock.advance(10_000);
  const { request } = await bench.status(id);
  const machines = await bench.store.find('machine', { where: { request_id: id } });
  t.is(machines[0]?.message, 'It was not ready 60 s after its launch.');
  t.is(request.status, 'failed');
  t.regex(request.message, /It was not ready 60 s after its launch\./);
  t.notRegex(request.message, /User initiated/);
  await bench.close();
});
