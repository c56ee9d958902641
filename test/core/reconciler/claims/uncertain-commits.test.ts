import test from 'ava';
import { BrokerError, ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud, type Script } from '../../../support/scripted-cloud.ts';

test('an event is stored once when the outcome of a part is unknown', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1_000 });
  const bench = await loopBench({ east });
  const commit = bench.store.commit.bind(bench.store);
  let failed = 0;
  bench.store.commit = async (changes) => {
    await commit(changes);
    if (failed === 0 && changes.some((each) => 'kind' in each && each.kind === 'machine')) {
      failed += 1;
      throw new BrokerError('UNAVAILABLE', 'The answer was lost.', { outcome: 'unknown' });
    }
  };
  const id = await bench.request(450);
  await bench.clock.advance(5_000);
  const events = await bench.store.find('event', { where: { request_id: id, type: 'machine.launched' } });
  const ids = events.flatMap(({ data }) => data['machine_ids'] as string[]);
  t.is(failed, 1);
  t.is(ids.length, 450, 'each machine is told of once');
  await bench.close();
});

test('a jump of the clock moves each machine once, although the storage fails between two parts until the claim is lost', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1_000 });
  const bench = await loopBench({ east });
  const id = await bench.request(450);
  await bench.clock.advance(5_000);
  t.is(east.live(id).length, 450);
  const { commit, renew } = {
    commit: bench.store.commit.bind(bench.store),
    renew: bench.store.renew.bind(bench.store),
  };
  let parts = 0;
  let failing = true;
  const fail = () => {
    throw new BrokerError('UNAVAILABLE', 'The disk is full.');
  };
  bench.store.commit = async (changes) => {
    if (failing && changes.some((each) => 'kind' in each && each.kind === 'machine') && ++parts > 1) fail();
    return commit(changes);
  };
  bench.store.renew = async (owner, ms) => (failing ? fail() : renew(owner, ms));
  bench.clock.jump(-660_000);
  await bench.clock.advance(25_000);
  failing = false;
  await bench.clock.advance(60_000);
  t.is(east.machines.size, 450, 'none was judged slow and ordered anew');
  await bench.close();
});

test('a persistent request keeps trying after the clock was set back', async (t) => {
  const offers = [{ key: 'a' } as never];
  const east = new ScriptedCloud({}, offers);
  let n = 0;
  const script: Script = (order, cloud) => {
    n += 1;
    cloud.scripts.unshift(script);
    return lacking ? new ProviderFault('capacity', 'None.', { offer: 'a' } as never) : cloud.start(order);
  };
  let lacking = true;
  east.scripts.push(script);
  const bench = await loopBench({ east });
  const id = await bench.request(1, { retry_until_timeout: true, timeout: 3_600 });
  await bench.clock.advance(60_000);
  bench.clock.jump(-3_600_000);
  lacking = false;
  await bench.clock.advance(600_000);
  t.is(east.live(id).length, 1, 'capacity is found within 15 s');
  await bench.close();
});

test('the end of a request counts once when the outcome of its commit is unknown and the storage cannot be read for a while', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const { commit, get } = { commit: bench.store.commit.bind(bench.store), get: bench.store.get.bind(bench.store) };
  let left = 0;
  let failed = 0;
  bench.store.commit = async (changes) => {
    await commit(changes);
    if (failed > 0 || !changes.some(({ op }) => op === 'add')) return;
    failed += 1;
    left = 3;
    throw new BrokerError('UNAVAILABLE', 'The answer was lost.', { outcome: 'unknown' });
  };
  bench.store.get = async (kind, key) => {
    if (kind !== 'request' || left === 0) return get(kind, key);
    left -= 1;
    throw new BrokerError('UNAVAILABLE', 'Not now.');
  };
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(30_000);
  t.deepEqual([failed, left], [1, 0]);
  t.is((await bench.status(id)).request.status, 'completed');
  const [statistics] = await bench.store.find('fact', { where: { topic: 'statistics' } });
  t.like(statistics?.value, { total_requests: 1, successful_requests: 1 });
  t.is((await bench.store.find('event', { where: { request_id: id, type: 'request.completed' } })).length, 1);
  await bench.close();
});

test('a request that could not be yielded continues, and the trouble of the storage ends when it serves again', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const give = bench.store.yield.bind(bench.store);
  let failed = 0;
  bench.store.yield = async (claims) => {
    failed += 1;
    if (failed === 1) throw new BrokerError('UNAVAILABLE', 'Not now.');
    return give(claims);
  };
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  await bench.requestCommands.cancel(id, undefined);
  await bench.clock.advance(120_000);
  t.true(failed > 1, 'it was given back after all');
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.is(bench.trouble(), undefined);
  await bench.close();
});
