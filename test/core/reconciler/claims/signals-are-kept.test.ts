import test from 'ava';
import { BrokerError, type Store, type SignalRecord } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

/** Reads of signals fail while the flag is set. */
function deafToWishes(store: Store): { fails: boolean } {
  const state = { fails: true };
  const find = store.find.bind(store);
  store.find = async (kind, query) => {
    if (kind === 'signal' && state.fails) throw new BrokerError('UNAVAILABLE', 'Not now.');
    return find(kind, query);
  };
  return state;
}

test('a signal whose read failed is read again without another notice of the storage', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(2_000);
  const record = {
    signal_id: 'signal-1',
    kind: 'cancel',
    request_id: id,
    machines: [],
    created_at: bench.clock.now(),
    applied: false,
  } as const;
  const reading = deafToWishes(bench.store);
  await bench.store.commit([{ op: 'insert', kind: 'signal', record: { ...record, machines: [] } }]);
  await bench.clock.advance(3_000);
  t.deepEqual(east.live(id), ['m-1', 'm-2']);
  reading.fails = false;
  bench.silence();
  await bench.clock.advance(10_000);
  t.is((await bench.status(id)).request.status, 'cancelled');
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('signals are read at intervals when the storage sends no notice', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  east.boot();
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(60_000);
  const silent: SignalRecord = {
    signal_id: 'signal-0',
    kind: 'cancel',
    request_id: id,
    machines: [],
    created_at: bench.clock.now(),
    applied: false,
  };
  bench.silence();
  await bench.store.commit([{ op: 'insert', kind: 'signal', record: silent }]);
  await bench.clock.advance(8_000);
  t.deepEqual(east.live(id), []);
  await bench.close();
});

test('waiting signals of another holder do not hide those of this one', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(5_000);
  const others = Array.from(
    { length: 1_500 },
    (_, i): SignalRecord => ({
      signal_id: `signal-${i}`,
      kind: 'complete',
      request_id: 'req-of-another',
      machines: [],
      created_at: 1,
      applied: false,
    }),
  );
  for (const record of others) await bench.store.commit([{ op: 'insert', kind: 'signal', record }]);
  const [machine = ''] = east.live(id);
  await bench.requestService.returnMachines([machine], 3_600);
  await bench.clock.advance(10_000);
  t.false(east.live(id).includes(machine));
  await bench.close();
});
