import test from 'ava';
import type { Shortfall } from '../../../core/index.ts';
import { loopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud, type Script } from '../../support/scripted-cloud.ts';

const lack: Shortfall = { kind: 'capacity', code: 'NONE', message: 'There is no capacity.' };

/** Every order finds no capacity in three of its offers, and leaves the others untried, until the script is removed. */
const triesThree: Script = (order, cloud) => {
  cloud.scripts.unshift(triesThree);
  const tried = (order.offers ?? []).slice(0, 3).map(({ key }): Shortfall => ({ ...lack, offer: key }));
  const shortfall = [...tried, { ...lack, lack: 'untried' as const }];
  return { handle: { token: order.token }, machines: [], settled: true, shortfall };
};

test('a persistent request with 100 offers keeps few attempts while there is no capacity, and none is numbered twice', async (t) => {
  const offers = Array.from({ length: 100 }, (_, i) => ({ key: `offer-${i}` }));
  const east = new ScriptedCloud({}, offers);
  east.scripts.push(triesThree);
  const bench = await loopBench({ east });
  const id = await bench.request(3, { retry_until_timeout: true, timeout: 86_400 });
  for (let minutes = 0; minutes < 30; minutes += 10) {
    await bench.clock.advance(600_000);
    const stored = await bench.store.find('attempt', { where: { request_id: id } });
    t.true(stored.length <= 400, `${stored.length} attempts after ${minutes + 10} minutes`);
    // After the first round an order has a tenth of the offers.
    t.true((stored.at(-1)?.order.offers?.length ?? 0) <= 10);
  }
  await bench.restart();
  await bench.clock.advance(60_000);
  const tokens = east.orders.map(({ token }) => token);
  t.is(new Set(tokens).size, tokens.length);
  t.true(tokens.length > 400);
  east.scripts.length = 0;
  for (let i = 0; i < 10; i++) {
    await bench.clock.advance(60_000);
    east.boot();
  }
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.live(id).length, 3);
  await bench.close();
});

test('a persistent request whose attempts are removed is continued after kill -9 before any commit', async (t) => {
  const east = new ScriptedCloud({}, [{ key: 'a' }, { key: 'b' }, { key: 'c' }, { key: 'd' }]);
  east.scripts.push(triesThree);
  const bench = await loopBench({ east });
  const id = await bench.request(1, { retry_until_timeout: true, timeout: 86_400 });
  await bench.clock.advance(1_100_000);
  for (let commit = 1; commit <= 12; commit++) {
    await bench.kill(commit % 3 === 0 ? 3 : 1);
    await bench.clock.advance(20_000);
  }
  const stored = await bench.store.find('attempt', { where: { request_id: id } });
  t.true(Math.min(...stored.map(({ attempt }) => attempt)) > 1, 'the first attempts were removed');
  const tokens = east.orders.map(({ token }) => token);
  const numbers = east.orders.map(({ attempt }) => attempt);
  t.is(new Set(tokens).size, new Set(numbers).size, 'each number has one token');
  east.scripts.length = 0;
  for (let i = 0; i < 10; i++) {
    await bench.clock.advance(60_000);
    east.boot();
  }
  t.is((await bench.status(id)).request.status, 'completed');
  t.is(east.live(id).length, 1);
  await bench.close();
});
