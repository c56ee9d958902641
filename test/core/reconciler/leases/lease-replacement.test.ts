import test from 'ava';
import { rebalanceBench } from '../replacement/rebalance-bench.ts';

test('a replacement inherits the lease of its machine, with an extension that comes while it takes over', async (t) => {
  const { clock, east, completed, recommend, stored, leaseCommands } = await rebalanceBench(t);
  const id = await completed(2, { lease: 3_600, rebalance_drain: 600 });
  const { expires_at = 0 } = await stored('m-1');
  await recommend('m-1');
  t.is((await stored('m-3')).expires_at, undefined, 'not before it takes over');
  await leaseCommands.extend(['m-1'], 100);
  east.boot();
  await clock.advance(3_000);
  t.like(await stored('m-3'), { expires_at: expires_at + 100_000, lease_s: 3_600 });
  const error = await t.throwsAsync(leaseCommands.extend(['m-1'], 60), { code: 'CONFLICT' });
  t.regex(error?.message ?? '', /'m-1' was replaced by 'm-3', which has its lease/);
  await clock.advance(expires_at - clock.now() + 10_000);
  t.deepEqual(east.live(id), ['m-3']);
  await clock.advance(110_000);
  t.deepEqual(east.live(id), []);
});

test('a machine that is drained after its replacement stays while it is held', async (t) => {
  const { clock, east, completed, recommend, leaseCommands } = await rebalanceBench(t);
  const id = await completed(1, { rebalance_drain: 60 });
  await recommend('m-1');
  east.boot();
  await clock.advance(3_000);
  await leaseCommands.hold(['m-1'], 600, 'a core dump');
  await clock.advance(590_000);
  t.deepEqual(east.live(id), ['m-1', 'm-2']);
  await clock.advance(30_000);
  t.deepEqual(east.live(id), ['m-2']);
});

test('the replacement of a machine whose lease ends before it is ready goes too', async (t) => {
  const { clock, east, completed, recommend } = await rebalanceBench(t);
  const id = await completed(1, { lease: 60, ready_timeout: 36_000 });
  await recommend('m-1');
  t.is(east.live(id).length, 2);
  await clock.advance(90_000);
  t.deepEqual(east.live(id), []);
});
