import test from 'ava';
import { operate } from './support.ts';

test('a status that was asked before a clean-up of machine records is not kept after it', async (t) => {
  const broker = await operate();
  t.teardown(broker.close);
  const { store } = broker.broker;
  const over = await broker.machines(2);
  await broker.run('create_return_request', { machine_ids: over.ids });
  await broker.until(async () => (await store.get('request', { request_id: over.request_id }))?.next_at === null);
  const shown = async () => {
    const { body } = await broker.call('GET', `/requests/${over.request_id}/status`);
    return (body.machines ?? []).length;
  };
  t.is(await shown(), 2);
  await broker.run('cleanup_terminated_machines', { older_than_days: 0 });
  t.is(await store.count('machine', { request_id: over.request_id }), 0);
  t.is(await shown(), 0);
});

test('records of what is over are removed, and nothing that lives is touched', async (t) => {
  const broker = await operate();
  t.teardown(broker.close);
  const { store } = broker.broker;
  const over = await broker.machines(2);
  const living = await broker.machines(1);
  const given = await broker.run('create_return_request', { machine_ids: over.ids });
  // Over for the loop too: nothing is left in the cloud.
  await broker.until(async () => (await store.get('request', { request_id: over.request_id }))?.next_at === null);
  await broker.until(
    async () => (await broker.run('sync_and_get_request', { request_id: given.request_id })).status === 'completed',
  );
  t.like(await broker.run('cleanup_old_requests', { older_than_days: 1 }), { deleted_requests: 0 });
  t.like(await broker.run('cleanup_terminated_machines', { older_than_days: 0 }), { deleted_machines: 2 });
  t.is((await broker.run('list_machines', { all_resources: true })).total_count, 1);
  const removed = await broker.run('cleanup_old_requests', { older_than_days: 0 });
  t.is(removed.deleted_requests, 2, 'the request and its return');
  await t.throwsAsync(broker.run('sync_and_get_request', { request_id: over.request_id }), {
    message: /No request has the id/,
  });
  t.is(await store.count('attempt', {}), 1);
  t.is((await broker.run('sync_and_get_request', { request_id: living.request_id, long: true })).machines.length, 1);
  t.is(broker.simulator.ledger().live[living.request_id]?.length, 1);
});

test('the idempotency key of a removed request starts no second request', async (t) => {
  const broker = await operate();
  t.teardown(broker.close);
  const ask = () =>
    broker.call(
      'POST',
      '/machines/request',
      { template_id: 'small', machine_count: 1 },
      { 'idempotency-key': 'once' },
    );
  const { body } = await ask();
  await broker.call('DELETE', `/requests/${body.request_id}`);
  await broker.until(
    async () => (await broker.broker.store.get('request', { request_id: body.request_id }))?.next_at === null,
  );
  t.is((await broker.run('cleanup_old_requests', { older_than_days: 0 })).deleted_requests, 1);
  const again = await ask();
  t.is(again.status, 409);
  t.regex(again.body.detail, /was purged at/);
});

test('everything is given back only when that is confirmed', async (t) => {
  const broker = await operate();
  t.teardown(broker.close);
  const { ids } = await broker.machines(2);
  await t.throwsAsync(broker.run('cleanup_all_resources'), { message: /must be true/ });
  t.is((await broker.run('get_active_machine_count')).active_count, 2);
  const { return_request_ids, machine_count } = await broker.run('cleanup_all_resources', { confirm: true });
  t.deepEqual([return_request_ids.length, machine_count], [1, ids.length]);
  await broker.until(async () => Object.keys(broker.simulator.ledger().live).length === 0);
  t.like(await broker.run('cleanup_all_resources', { confirm: true }), { return_request_ids: [], machine_count: 0 });
});

test('with include_pending requests in progress are cancelled too', async (t) => {
  const broker = await operate({ loop: 'none' });
  t.teardown(broker.close);
  const { request_id } = await broker.run('create_request', { template_id: 'small', machine_count: 1 });
  t.deepEqual((await broker.run('cleanup_all_resources', { confirm: true })).cancelled_request_ids, []);
  t.deepEqual(
    (await broker.run('cleanup_all_resources', { confirm: true, include_pending: true })).cancelled_request_ids,
    [request_id],
  );
});

test('the configuration is shown with the origin of each value, and without secrets', async (t) => {
  const broker = await operate({ loop: 'none' });
  t.teardown(broker.close);
  const { configuration, origins } = await broker.run('get_configuration');
  t.is(configuration.providers[0].config.secret_access_key, '***');
  t.false(JSON.stringify(configuration).includes('"test"'));
  t.is(origins['/scheduler'], 'file');
  t.is(origins['/server/port'], 'default');
  t.deepEqual((await broker.run('get_configuration', { key: 'server.port' })).configuration, 8000);
  t.is((await broker.run('get_configuration', { key: 'server.prot' })).configuration, null);
});
