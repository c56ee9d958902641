import test from 'ava';
import { LeaseCommands } from '../../../../core/requests/leases/lease-commands.ts';
import { brokersBench } from '../../../support/brokers-bench.ts';

test('leases, extensions and holds hold over several brokers, of which one dies', async (t) => {
  const { clock, clouds, store, join, request, stop } = await brokersBench(t);
  await join('a', 'east');
  const dying = await join('b', 'east');
  await clock.advance(2_000);
  const ids = await request('east', 12, { lease: 300 });
  await clock.advance(3_000);
  clouds.east.boot();
  await clock.advance(5_000);
  const machines = await store.find('machine', {});
  t.is(machines.length, 12);
  t.deepEqual(machines.map(({ request_id }) => request_id).toSorted(), ids.toSorted());
  const end = Math.max(...machines.map(({ expires_at = 0 }) => expires_at));
  // An interface that belongs to neither of them.
  const calls = new LeaseCommands(store, clock);
  const names = machines.map(({ machine_id }) => machine_id);
  await calls.extend(names.slice(0, 4), 600);
  await calls.hold(names.slice(4, 6), 1_200, 'a test');
  await stop(dying);
  await clock.advance(end - clock.now() + 15_000);
  t.deepEqual(clouds.east.live().toSorted(), names.slice(0, 6).toSorted());
  await clock.advance(600_000);
  t.deepEqual(clouds.east.live().toSorted(), names.slice(4, 6).toSorted());
  await clock.advance(600_000);
  t.deepEqual(clouds.east.live(), []);
  t.is(await store.count('signal', { applied: false }), 0);
});
