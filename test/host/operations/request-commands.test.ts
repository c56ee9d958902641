import test from 'ava';
import { operate } from './support.ts';

test('the waiting of a request is ended: it keeps what is ready, and the rest goes', async (t) => {
  const broker = await operate({ knobs: { stuck: [{ times: 1 }] } });
  t.teardown(broker.close);
  const { request_id } = await broker.run('create_request', { template_id: 'small', machine_count: 2 });
  const summary = () => broker.run('get_request_summary', { request_id });
  await broker.until(async () => (await summary()).delivered_count === 1);
  t.like(await summary(), { status: 'in_progress', machines: { running: 1, pending: 1 } });
  await broker.run('complete_request', { request_id });
  await broker.until(async () => (await summary()).status === 'completed');
  await broker.until(async () => broker.simulator.ledger().live[request_id]?.length === 1);
  t.is((await summary()).delivered_count, 1);
});

test('states are changed by hand only where the state machine has that step', async (t) => {
  const broker = await operate();
  t.teardown(broker.close);
  const { request_id, ids } = await broker.machines(1);
  const to = (status: string, id = request_id) => broker.run('update_request_status', { request_id: id, status });
  t.is((await to('completed')).status, 'completed', 'what it is already changes nothing');
  for (const status of ['failed', 'cancelled', 'pending', 'in_progress'])
    await t.throwsAsync(to(status), { message: /it is completed, and that never changes/ });
  await t.throwsAsync(broker.run('complete_request', { request_id }), { message: /is completed already/ });
  const returned = await broker.run('create_return_request', { machine_ids: ids });
  await t.throwsAsync(to('cancelled', returned.request_id), { message: /a return ends by itself|never changes/ });
  await t.throwsAsync(to('failed', 'req-0'), { message: "No request has the id 'req-0'." });
});

test('a request that still waits may be cancelled by its state, and not ended by it', async (t) => {
  const broker = await operate({ loop: 'none' });
  t.teardown(broker.close);
  const { request_id } = await broker.run('create_request', { template_id: 'small', machine_count: 1 });
  const to = (status: string) => broker.run('update_request_status', { request_id, status });
  for (const status of ['completed', 'failed'])
    await t.throwsAsync(to(status), { message: /machines may still arrive/ });
  await t.throwsAsync(to('in_progress'), { message: /only the progress at the providers/ });
  await to('cancelled');
  t.is(await broker.broker.store.count('signal', { request_id, applied: false }), 1);
});

test('machines are taken into a request only when the provider says that they are its own', async (t) => {
  const broker = await operate();
  t.teardown(broker.close);
  const { request_id, ids } = await broker.machines(2);
  const { machine_ids, unverified } = await broker.run('populate_machine_ids', {
    request_id,
    machine_ids: [...ids, 'i-foreign'],
  });
  t.deepEqual([...machine_ids].toSorted(), [...ids].toSorted());
  t.deepEqual(unverified, ['i-foreign']);
  const expected = () => broker.broker.store.count('fact', { topic: 'expected', name: request_id });
  await broker.until(async () => (await expected()) === 0);
  const again = await broker.run('populate_machine_ids', { request_id, machine_ids: ['i-foreign'] });
  t.deepEqual([[...again.machine_ids].toSorted(), again.unverified], [[...ids].toSorted(), ['i-foreign']]);
  await t.throwsAsync(broker.run('populate_machine_ids', { request_id: 'req-0', machine_ids: [] }), {
    code: 'REQUEST_NOT_FOUND',
  });
});
