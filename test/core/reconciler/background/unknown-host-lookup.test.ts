import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { UnknownHosts } from '../../../../core/requests/queries/unknown-hosts.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const unknown = [{ machine_id: 'x-1' }, { name: 'host-x-2' }];
const asks = (cloud: ScriptedCloud): readonly string[] => cloud.calls.filter((call) => call.startsWith('which'));

test('an unknown host is looked up once, and gone when no cloud has it', async (t) => {
  const clouds = { east: new ScriptedCloud(), west: new ScriptedCloud() };
  const bench = await loopBench(clouds);
  const unknownHosts = new UnknownHosts(bench.store, bench.clock);
  t.deepEqual(await unknownHosts.gone(unknown), [], 'nobody waits for a cloud');
  t.deepEqual(await unknownHosts.gone(unknown), []);
  await bench.clock.advance(2_000);
  t.deepEqual(await unknownHosts.gone(unknown), unknown);
  t.deepEqual([asks(clouds.east), asks(clouds.west)], [['which 2'], ['which 2']]);
  await bench.clock.advance(30_000);
  await unknownHosts.gone(unknown);
  await bench.clock.advance(2_000);
  t.is(asks(clouds.east).length, 1, 'an answer is good for a minute');
  t.is((await bench.store.find('fact', { where: { topic: 'unknown_host_asked' } })).length, 0);
  await bench.close();
});

test('a host lives when one cloud reports it; in a lookup at one instance only that one counts', async (t) => {
  const clouds = { east: new ScriptedCloud(), west: new ScriptedCloud() };
  const bench = await loopBench(clouds);
  clouds.west.start({ token: 'a', machine_count: 1, request_id: 'r' } as any);
  const [machine_id = ''] = clouds.west.live();
  const unknownHosts = new UnknownHosts(bench.store, bench.clock);
  const hosts = [{ machine_id }];
  for (const instance of ['', 'east', 'west', 'north']) await unknownHosts.gone(hosts, instance);
  await bench.clock.advance(2_000);
  t.deepEqual(await unknownHosts.gone(hosts), []);
  t.deepEqual(await unknownHosts.gone(hosts, 'west'), []);
  t.deepEqual(await unknownHosts.gone(hosts, 'east'), hosts);
  t.deepEqual(await unknownHosts.gone(hosts, 'north'), [], 'nobody answers for an instance that is not configured');
  await bench.close();
});

test('while a cloud does not answer there is no result, and the lookup is repeated', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const unknownHosts = new UnknownHosts(bench.store, bench.clock);
  east.deaf = new ProviderFault('unavailable', 'Not now.');
  await unknownHosts.gone(unknown);
  await bench.clock.advance(10_000);
  t.deepEqual(await unknownHosts.gone(unknown), []);
  t.is(asks(east).length, 1);
  east.deaf = undefined;
  await bench.clock.advance(10_000);
  t.deepEqual(await unknownHosts.gone(unknown), unknown);
  await bench.close();
});

test('a result stays while it is looked up again', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const unknownHosts = new UnknownHosts(bench.store, bench.clock);
  await unknownHosts.gone(unknown);
  await bench.clock.advance(2_000);
  await bench.clock.advance(90_000);
  t.deepEqual(await unknownHosts.gone(unknown), unknown, 'the old answer, while the new one is asked for');
  await bench.clock.advance(2_000);
  t.is(asks(east).length, 2);
  await bench.close();
});
