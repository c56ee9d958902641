import test from 'ava';
import { ProviderFault, ClaimLost } from '../../../core/index.ts';
import { loopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud } from '../../support/scripted-cloud.ts';

test('machines are launched and observed until they run, and the request completes', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  t.is((await bench.status(id)).request.status, 'in_progress');
  t.is(east.live(id).length, 3);
  east.boot();
  await bench.clock.advance(3_000);
  const { request, machines } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.message, '3 of 3 machines delivered.');
  t.deepEqual(
    machines.map((machine) => machine.status),
    ['running', 'running', 'running'],
  );
  t.is(east.calls.filter((call) => call === 'launch').length, 1);
  await bench.close();
});

test('a large request is split into orders of the maximum of the API', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 40 });
  const bench = await loopBench({ east });
  const id = await bench.request(100);
  await bench.clock.advance(1_000);
  t.deepEqual(
    east.orders.map((order) => order.machine_count),
    [40, 40, 20],
  );
  t.is(new Set(east.orders.map((order) => order.token)).size, 3);
  t.is(east.live(id).length, 100);
  await bench.close();
});

test('a lost answer is replayed with the same token and starts nothing twice', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(
    () => 'execute-then-lose',
    () => 'execute-then-lose',
  );
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(10_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 3);
  t.is(new Set(east.orders.map((order) => order.token)).size, 1);
  await bench.close();
});

test('a replay with refused credentials says nothing about the launch whose answer was lost', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(
    () => 'execute-then-lose',
    () => new ProviderFault('credentials', 'Expired.'),
  );
  const bench = await loopBench({ east, west });
  const id = await bench.request(3);
  await bench.clock.advance(60_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.live(id).length, 3);
  t.is(west.orders.length, 0);
  await bench.close();
});

test('a launch that was sent before a crash is repeated when the credentials of its replay are refused', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(
    (order, cloud) => {
      cloud.start(order);
      throw new ClaimLost('req-1');
    },
    () => new ProviderFault('credentials', 'Not now.', { retry_after_ms: 5_000 }),
  );
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  while (east.orders.length < 2) await bench.clock.advance(500);
  await bench.requestCommands.cancel(id, undefined);
  await bench.clock.advance(60_000);
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('a restart continues where the loop stopped', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  await bench.restart();
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 3);
  await bench.close();
});

test('requests beyond max_concurrent_requests wait for a slot and report it', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(
    () => new ProviderFault('unavailable', 'Away.'),
    () => new ProviderFault('unavailable', 'Away.'),
  );
  const bench = await loopBench({ east }, {}, { max_concurrent_requests: 1 });
  const first = await bench.request(1);
  await bench.clock.advance(100);
  const second = await bench.request(1);
  await bench.clock.advance(100);
  const waiting = (await bench.status(second)).request;
  t.is(waiting.status, 'pending');
  t.regex(waiting.message, /Waiting for a slot/);
  await bench.clock.advance(20_000);
  t.is(east.live(first).length, 1);
  t.is(east.live(second).length, 1);
  await bench.close();
});

test('many requests are observed in one call', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  for (let i = 0; i < 60; i++) await bench.request(2);
  await bench.clock.advance(5_000);
  const observations = east.calls.filter((call) => call.startsWith('observe'));
  t.true(observations.length <= 4, `${observations.length} calls: ${observations.join(' ')}`);
  await bench.close();
});

test('each of many concurrent orders keeps its own prepared result', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1 });
  const bench = await loopBench({ east });
  const id = await bench.request(10);
  await bench.clock.advance(3_000);
  const attempts = await bench.store.find('attempt', { where: { request_id: id } });
  t.is(attempts.length, 10);
  for (const attempt of attempts) {
    t.deepEqual(attempt.prepared, { value: { for: attempt.token } });
    t.is(attempt.state, 'launched');
  }
  t.is(east.calls.filter((call) => call === 'prepare').length, 10);
  await bench.close();
});

for (const [what, error] of [
  ['its claim counted as lost for a moment', new ClaimLost('req-1')],
  ['a step failed in a way that nobody foresaw', undefined],
] as const) {
  test(`a request continues, without a second launch, after ${what}`, async (t) => {
    const east = new ScriptedCloud();
    const bench = await loopBench({ east });
    if (error) {
      east.scripts.push((order, cloud) => {
        cloud.start(order);
        throw error;
      });
    } else {
      const commit = bench.store.commit.bind(bench.store);
      let failed = false;
      bench.store.commit = async (changes) => {
        const outcome = changes.some((change) => change.op === 'put' && change.kind === 'machine');
        if (outcome && !failed) {
          failed = true;
          throw new TypeError('not foreseen');
        }
        return commit(changes);
      };
    }
    const id = await bench.request(3);
    await bench.clock.advance(60_000);
    east.boot();
    await bench.clock.advance(3_000);
    t.is((await bench.status(id)).request.status, 'completed');
    t.is(east.machines.size, 3);
    t.is(new Set(east.orders.map((order) => order.token)).size, 1);
    await bench.close();
  });
}

test('a request that is made just after a claim does not wait for the next regular claim', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const claim = bench.store.claim.bind(bench.store);
  bench.store.claim = async (...args) => {
    await bench.clock.sleep(20);
    return claim(...args);
  };
  await bench.clock.advance(2_000);
  await bench.request(1);
  await bench.clock.advance(40);
  t.is(east.orders.length, 1);
  await bench.request(1);
  await bench.clock.advance(200);
  t.is(east.orders.length, 2);
  await bench.close();
});
