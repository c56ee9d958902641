import test from 'ava';
import type { Change, Store } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

async function leasedBench() {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3, { lease: 60 });
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(5_000);
  const [machine] = (await bench.status(id)).machines;
  return { bench, east, id, expires_at: machine?.expires_at ?? 0 };
}

/** Does something once, immediately before a commit: after all that its caller read. */
function beforeCommit(store: Store, isIt: (change: Change) => boolean, act: () => Promise<unknown>): void {
  const commit = store.commit.bind(store);
  let isDone = false;
  store.commit = async (changes) => {
    if (!isDone && changes.some(isIt)) {
      isDone = true;
      await act();
    }
    return commit(changes);
  };
}

const isReturn = (change: Change): boolean =>
  change.op === 'insert' && change.kind === 'request' && change.record.kind === 'return';
const isSignal =
  (kind: string) =>
  (change: Change): boolean =>
    change.op === 'insert' && change.kind === 'signal' && change.record.kind === kind;

test('an extension and a hold count that are stored after the broker decided that the lease ended', async (t) => {
  const { bench, east, id, expires_at } = await leasedBench();
  beforeCommit(bench.store, isReturn, async () => {
    const { done } = await bench.leaseCommands.extend(['m-1'], 600);
    t.is(done[0]?.expires_at, expires_at + 600_000);
    t.is((await bench.leaseCommands.hold(['m-2'], 300, 'a test')).done.length, 1);
  });
  await bench.clock.advance(expires_at - bench.clock.now() + 20_000);
  t.deepEqual(east.live(id), ['m-1', 'm-2']);
  await bench.clock.advance(300_000);
  t.deepEqual(east.live(id), ['m-1']);
  await bench.clock.advance(expires_at + 600_000 - bench.clock.now() - 1);
  t.deepEqual(east.live(id), ['m-1']);
  await bench.clock.advance(20_000);
  t.deepEqual(east.live(id), []);
  await bench.close();
});

for (const call of ['extend', 'hold'] as const)
  test(`${call}: a call that is stored after the broker returned the machine is refused`, async (t) => {
    const { bench, east, id, expires_at } = await leasedBench();
    beforeCommit(bench.store, isSignal(call), () => bench.clock.advance(expires_at - bench.clock.now() + 20_000));
    const answer =
      call === 'extend'
        ? bench.leaseCommands.extend(['m-1', 'm-2'], 600)
        : bench.leaseCommands.hold(['m-1', 'm-2'], 600, 'a test');
    await t.throwsAsync(answer, { code: 'CONFLICT', message: /its lease ended|is gone/ });
    await bench.clock.advance(5_000);
    t.deepEqual(east.live(id), []);
    t.is(await bench.store.count('signal', { applied: false }), 0);
    await bench.close();
  });

test('a return that is stored after a hold is refused, and after an extension is not', async (t) => {
  for (const call of ['hold', 'extend'] as const) {
    const { bench, east, id } = await leasedBench();
    beforeCommit(bench.store, isReturn, () =>
      call === 'hold' ? bench.leaseCommands.hold(['m-1'], 600, 'a test') : bench.leaseCommands.extend(['m-1'], 600),
    );
    const answer = bench.requestService.returnMachines(['m-1', 'm-2'], 60);
    if (call === 'hold') await t.throwsAsync(answer, { code: 'CONFLICT', message: /'m-1' is held until/ });
    else await answer;
    await bench.clock.advance(10_000);
    t.deepEqual(east.live(id), call === 'hold' ? ['m-1', 'm-2', 'm-3'] : ['m-3']);
    await bench.close();
  }
});

test('a hold that is stored after a return of one of its machines holds only the other one', async (t) => {
  const { bench, east, id } = await leasedBench();
  beforeCommit(bench.store, isSignal('hold'), () => bench.requestService.returnMachines(['m-1'], 60));
  const { done, released } = await bench.leaseCommands.hold(['m-1', 'm-2'], 600, 'a test');
  t.deepEqual(
    [done, released].map((each) => each.length),
    [1, 1],
  );
  t.is(released[0]?.machine_id, 'm-1');
  await bench.clock.advance(10_000);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  await bench.close();
});

test('extensions at the same moment are added one after another', async (t) => {
  const { bench, expires_at, id } = await leasedBench();
  beforeCommit(bench.store, isSignal('extend'), () => bench.leaseCommands.extend(['m-1', 'm-2'], 100));
  const [{ done }] = await Promise.all([bench.leaseCommands.extend(['m-1'], 1_000), bench.clock.advance(2_000)]);
  t.is(done[0]?.expires_at, expires_at + 1_100_000);
  t.is((await bench.status(id)).machines[0]?.expires_at, expires_at + 1_100_000);
  await bench.close();
});
