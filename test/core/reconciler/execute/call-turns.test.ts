import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import type { WaitingCall } from '../../../../core/reconciler/claims/claimed-request.ts';
import { CallTurns, type CallInTurn } from '../../../../core/reconciler/execute/call-turns.ts';
import { turn } from '../../../../core/collections/turn.ts';
import { attemptOf } from '../../../support/records.ts';
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

/** Calls of the ranks that the name tells, which end when the test says so. */
function turnsOf(most: number) {
  const turns = new CallTurns(() => most);
  const claimed = { waitingCalls: new Set<WaitingCall>() };
  const made: string[] = [];
  const running: { name: string; end(): void }[] = [];
  const kinds = {
    release: { does: 'release', unsent: false },
    dispose: { does: 'dispose', unsent: false },
    first: { does: 'launch', unsent: true },
    replay: { does: 'launch', unsent: false },
  } as const satisfies Record<string, { does: CallInTurn['does']; unsent: boolean }>;
  return {
    claimed,
    made,
    running,
    take(name: keyof typeof kinds, count = 1): void {
      const { does, unsent } = kinds[name];
      for (let n = 0; n < count; n++)
        void turns.take({ attempt: attemptOf(1, { unsent }), does }, claimed, async () => {
          made.push(name);
          const { promise, resolve } = Promise.withResolvers<void>();
          running.push({ name, end: resolve });
          await promise;
        });
    },
    /** Ends calls one after another, the oldest first, until so many were ended or none runs. */
    async end(count: number, of?: string): Promise<void> {
      for (let n = 0; n < count; n++) {
        const index = running.findIndex(({ name }) => of === undefined || name === of);
        if (index < 0) return;
        running.splice(index, 1)[0]?.end();
        await turn();
      }
    },
  };
}

const countOf = (names: readonly string[], name: string) => names.filter((each) => each === name).length;

test('a release comes first, then orders that may have been sent, then first ones, then disposals', async (t) => {
  const { take, made, end } = turnsOf(1);
  take('dispose');
  take('first');
  take('replay');
  take('release');
  await turn();
  await end(10);
  t.deepEqual(made, ['release', 'replay', 'first', 'dispose']);
});

test('launches that hang get a quarter of the turns at most while releases wait', async (t) => {
  const { take, made, end, running } = turnsOf(16);
  take('first', 400);
  await turn();
  t.is(running.length, 16);
  take('release', 300);
  await end(16, 'first');
  await end(250, 'release');
  t.is(
    countOf(
      running.map(({ name }) => name),
      'first',
    ),
    4,
  );
  t.true(countOf(made, 'release') >= 250);
});

test('orders get turns although releases that hang are repeated for ever, also where one call is made at a time', async (t) => {
  for (const most of [1, 2, 16]) {
    const { take, made, end } = turnsOf(most);
    take('release', 100);
    take('first', 10);
    await turn();
    await end(60);
    t.true(countOf(made, 'first') >= 10, `${most} at a time: ${countOf(made, 'first')} launches`);
  }
});

test('first launches get turns although orders without an answer are repeated for ever', async (t) => {
  const { take, made, end } = turnsOf(4);
  take('replay', 100);
  take('first', 10);
  await turn();
  await end(60);
  t.true(countOf(made, 'first') >= 10);
});

test('disposals that hang leave turns to all others', async (t) => {
  const { take, running } = turnsOf(16);
  take('dispose', 200);
  await turn();
  t.is(running.length, 4);
  take('release', 12);
  await turn();
  t.is(
    countOf(
      running.map(({ name }) => name),
      'release',
    ),
    12,
  );
});

test('disposals get turns although other calls always wait', async (t) => {
  const { take, made, end } = turnsOf(4);
  take('first', 100);
  take('dispose', 2);
  await turn();
  await end(40);
  t.is(countOf(made, 'dispose'), 2);
});

test('a call that is recalled is not made, and none waits any more', async (t) => {
  const { take, made, claimed, end } = turnsOf(1);
  take('release', 3);
  await turn();
  t.is(claimed.waitingCalls.size, 2);
  for (const call of claimed.waitingCalls) call.recall();
  await end(3);
  t.is(claimed.waitingCalls.size, 0);
  t.is(made.length, 1);
});

for (const prepares of [true, false])
  test(`an order that waits for its turn is not sent after a cancel, where the API prepares ${prepares ? 'it' : 'nothing'}`, async (t) => {
    const east = Object.assign(new ScriptedCloud({ machines_per_launch: 1 }), { prepares });
    const bench = await loopBench({ east });
    const { clock } = bench;
    east.beforeLaunch = () => clock.sleep(60_000);
    for (let n = 0; n < 50; n++) await bench.request(1, { timeout: 36_000 });
    await clock.advance(2_000);
    const id = await bench.request(1, { timeout: 36_000 });
    await clock.advance(5_000);
    await bench.requestCommands.cancel(id, undefined);
    await clock.advance(2_000);
    t.is((await bench.status(id)).request.status, 'cancelled');
    await clock.advance(300_000);
    t.deepEqual(east.live(id), []);
    await bench.close();
  });

test('a release does not wait for disposals that hang', async (t) => {
  const east = new ScriptedCloud({ machines_per_launch: 1 });
  let hangs = false;
  east.disposing = async () => {
    if (!hangs) return;
    await bench.clock.sleep(58_000);
    throw noAnswer();
  };
  const bench = await loopBench({ east });
  const { clock } = bench;
  for (let n = 0; n < 61; n++) await bench.request(1);
  await clock.advance(10_000);
  east.boot();
  await clock.advance(15_000);
  hangs = true;
  const [last = '', ...others] = east.live();
  await bench.requestService.returnMachines(others, 600, {});
  await clock.advance(60_000);
  t.deepEqual(east.live(), [last]);
  await bench.requestService.returnMachines([last], 600, {});
  await clock.advance(5_000);
  t.deepEqual(east.live(), []);
  await bench.close();
});
