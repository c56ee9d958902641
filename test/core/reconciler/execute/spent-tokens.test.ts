import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud, type Script } from '../../../support/scripted-cloud.ts';

type Spent = 'order' | 'call';

/**
 * A cloud that does not see what an order names during its first two calls. `binds`: it keeps the token of a call that
 * failed for this, and answers the token in the same way, until it reports that what the order names is gone. A launch
 * that succeeded is kept in both cases.
 */
function hesitant(spent: Spent, binds: boolean) {
  const cloud = new ScriptedCloud();
  const bound = new Map<string, number>();
  const here = { cloud, lose: 0 };
  const script: Script = (order, { scripts, orders }) => {
    scripts.unshift(script);
    const done = [...cloud.machines.values()].some(({ token }) => token === order.token);
    const calls = bound.get(order.token) ?? 0;
    if (!done && calls > 10) return new ProviderFault('gone', 'The launch template does not exist.');
    if (!done && (orders.length <= 2 || calls > 0)) {
      if (binds) bound.set(order.token, calls + 1);
      return new ProviderFault('unavailable', 'The launch template does not exist.', { token_spent: spent });
    }
    if (here.lose === 0) return cloud.start(order);
    here.lose -= 1;
    return 'execute-then-lose';
  };
  cloud.scripts.push(script);
  return here;
}

async function complete(bench: LoopBench, cloud: ScriptedCloud, id: string): Promise<void> {
  for (let seconds = 0; seconds < 1_800; seconds += 5) {
    cloud.boot();
    await bench.clock.advance(5_000);
    if ((await bench.status(id)).request.status === 'completed') return;
  }
}

for (const spent of ['order', 'call'] as const) {
  for (const binds of [true, false]) {
    const reading = `${spent}, the cloud ${binds ? 'keeps' : 'forgets'} the token`;

    test(`an order whose token is spent is repeated with another token: ${reading}`, async (t) => {
      const { cloud } = hesitant(spent, binds);
      const bench = await loopBench({ east: cloud });
      const id = await bench.request(3);
      await complete(bench, cloud, id);
      t.is((await bench.status(id)).request.status, 'completed');
      t.is(cloud.machines.size, 3);
      const tokens = cloud.orders.map(({ token }) => token);
      t.is(new Set(tokens).size, 3, 'each of three calls has a token of its own');
      t.true(tokens.every((token) => /^[a-z0-9]{1,64}$/.test(token)));
      await bench.close();
    });

    for (let commit = 1; commit <= 9; commit++) {
      test(`kill -9 before commit ${commit} of an order with spent tokens doubles no machine: ${reading}`, async (t) => {
        const { cloud } = hesitant(spent, binds);
        const bench = await loopBench({ east: cloud });
        const id = await bench.request(3, { timeout: 3_600 });
        await bench.kill(commit);
        await complete(bench, cloud, id);
        t.is((await bench.status(id)).request.status, 'completed');
        t.is(cloud.live(id).length, 3);
        t.is(cloud.machines.size, 3);
        await bench.close();
      });
    }

    test(`a lost answer to a later token is replayed with that token, also after kill -9: ${reading}`, async (t) => {
      const here = hesitant(spent, binds);
      const { cloud } = here;
      const bench = await loopBench({ east: cloud });
      here.lose = 2;
      const id = await bench.request(3);
      while (here.lose > 0) await bench.clock.advance(500);
      await bench.kill();
      await complete(bench, cloud, id);
      t.is((await bench.status(id)).request.status, 'completed');
      t.is(cloud.machines.size, 3);
      t.is(new Set(cloud.orders.slice(2).map(({ token }) => token)).size, 1);
      await bench.close();
    });
  }
}

test('a refusal of one call keeps the token while the answer of an earlier call with it is missing', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(
    () => 'execute-then-lose',
    () => new ProviderFault('unavailable', 'The launch template does not exist.', { token_spent: 'call' }),
  );
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(20_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.machines.size, 3);
  t.is(new Set(east.orders.map(({ token }) => token)).size, 1);
  await bench.close();
});

test('a proof that no call with the token started a machine ends the doubt about an earlier call', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(
    () => new ProviderFault('unknown-outcome', 'The connection was cut.'),
    () => new ProviderFault('unavailable', 'The launch template does not exist.', { token_spent: 'order' }),
  );
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(20_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  const [first, second, third] = east.orders.map(({ token }) => token);
  t.deepEqual([first, third], [second, `${first}x1`]);
  await bench.close();
});
