import test from 'ava';
import { silentLog } from '../../../core/index.ts';
import { CleanUp } from '../../../core/requests/clean-up.ts';
import { openReturn } from '../../../core/requests/open-return.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryDriver } from '../../support/memory-driver.ts';
import { machineOf, requestOf } from '../../support/records.ts';

test('a return that ended by its time-out is kept until its signals are applied: they still end machines', async (t) => {
  const clock = new FakeClock();
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  const now = clock.now();
  const origin = requestOf({ status: 'completed', completed_at: now, created_at: now, next_at: now + 9e9, epoch: 0 });
  await store.commit([
    { op: 'insert', kind: 'request', record: origin },
    { op: 'put', kind: 'machine', record: machineOf('m-1') },
  ]);
  const { request, changes } = openReturn([machineOf('m-1')], 60, now, {});
  await store.commit(changes);
  const { request_id } = request;
  const claims = await store.claim(aBroker({}), 10, 60_000);
  const epoch = claims.find((each) => each.request_id === request_id)?.epoch ?? t.fail();
  const ended = { ...request, epoch, version: 2, status: 'failed', completed_at: now, next_at: null } as const;
  await store.commit([
    { op: 'fence', request_id, epoch },
    { op: 'put', kind: 'request', record: ended },
  ]);
  await clock.advance(2 * 86_400_000);
  const cleanUp = new CleanUp(store, clock);
  t.deepEqual(await cleanUp.requests(1), { requests: 0, machines: 0 });
  const [signal] = await store.find('signal', { where: { applied: false } });
  t.is(signal?.return_id, request_id);
  if (signal) await store.commit([{ op: 'put', kind: 'signal', record: { ...signal, applied: true } }]);
  t.deepEqual(await cleanUp.requests(1), { requests: 1, machines: 0 });
  t.deepEqual(await store.find('signal', {}), []);
  await store.close();
});
