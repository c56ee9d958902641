import test from 'ava';
import { loopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud } from '../../support/scripted-cloud.ts';

test('returned machines are released, the others stay, and none is replaced', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(5);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  const returned = await bench.requestService.returnMachines(['m-2', 'm-4'], 3600);
  await bench.clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-1', 'm-3', 'm-5']);
  t.is((await bench.status(returned.request.request_id)).request.status, 'completed');
  t.is((await bench.status(id)).request.status, 'completed');
  const again = await bench.requestService.returnMachines(['m-2'], 3600);
  await bench.clock.advance(5_000);
  t.is((await bench.status(again.request.request_id)).request.status, 'completed');
  t.deepEqual(east.live(id), ['m-1', 'm-3', 'm-5']);
  t.is(east.orders.length, 1);
  await bench.close();
});

test('a return while the request is in progress lowers its target', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  await bench.requestService.returnMachines(['m-1'], 3600);
  await bench.clock.advance(3_000);
  east.boot();
  await bench.clock.advance(5_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'completed');
  t.is(request.fulfilment?.delivered, 2);
  t.deepEqual(east.live(id), ['m-2', 'm-3']);
  await bench.close();
});

test('a cancelled request releases arrived and incoming machines', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(3);
  await bench.clock.advance(1_000);
  await bench.requestCommands.cancel(id, 'no longer needed');
  await bench.clock.advance(1_000);
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('cancelling an order whose answer was lost repeats the order and releases its machines', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(() => 'execute-then-lose');
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(50);
  await bench.requestCommands.cancel(id, undefined);
  await bench.clock.advance(10_000);
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.is(east.machines.size, 2);
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('a cancel that was accepted at the time of completion releases the machines, and the status stays', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  const signal = {
    signal_id: 'signal-1',
    kind: 'cancel',
    request_id: id,
    machines: [],
    created_at: bench.clock.now(),
    applied: false,
  } as const;
  await bench.store.commit([{ op: 'insert', kind: 'signal', record: { ...signal, machines: [] } }]);
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('a return of machines of an instance that is no longer configured names the reason of the wait', async (t) => {
  const { applyReturnProgress } = await import('../../../core/reconciler/returns/apply-return-progress.ts');
  const { StateChange } = await import('../../../core/reconciler/state/request-state.ts');
  const { stateOf, requestOf } = await import('../../support/records.ts');
  const change = new StateChange(
    stateOf({ request: requestOf({ kind: 'return', status: 'in_progress', machine_count: 1, deadline_at: 9_000 }) }),
    1_000,
  );
  applyReturnProgress(change, { left: 1, accepted: true, missing: ['west'] });
  t.is(
    change.request.message,
    "0 of 1 machines are gone. 'west' is not configured: its machines cannot be released until it is.",
  );
});
