import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';
import { machineOf, requestOf } from '../../support/records.ts';

test('the overview adds up machines, open requests, requests that fell short and the use of templates', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  const now = Date.now();
  const requests = [
    requestOf({ request_id: 'req-open', provider_instance: 'east', machine_count: 5, delivered: 2, created_at: 1 }),
    requestOf({ request_id: 'ret-1', kind: 'return', machine_count: 2, template_id: null, created_at: 2 }),
    requestOf({ request_id: 'req-short', status: 'completed', delivered: 1, completed_at: now, created_at: now }),
    requestOf({ request_id: 'req-whole', status: 'completed', delivered: 3, completed_at: now, created_at: now }),
    requestOf({ request_id: 'req-old', status: 'failed', delivered: 0, completed_at: now - 90_000_000 }),
  ];
  const machines = [
    machineOf('i-1', { price: { usd_per_hour: 0.1, source: 'catalogue' } }),
    machineOf('i-2', { status: 'pending', price: { usd_per_hour: 0.2, source: 'own' } }),
    machineOf('i-3', { template_id: 'bounded', return_id: 'ret-1', status: 'shutting-down' }),
    machineOf('i-4', {
      status: 'terminated',
      gone_at: 5,
      return_id: 'ret-1',
      price: { usd_per_hour: 7, source: 'own' },
    }),
  ];
  await broker.broker.store.commit([
    ...requests.map((record) => ({ op: 'insert', kind: 'request', record }) as const),
    ...machines.map((record) => ({ op: 'put', kind: 'machine', record }) as const),
  ]);
  const { body } = await broker.call('GET', '/brokers/overview');
  t.like(body.machines, { running: 1, pending: 1, 'shutting-down': 1, terminated: 1 });
  t.deepEqual(body.cost, { usd_per_hour: 0.3, unpriced_machines: 1 });
  t.deepEqual([body.open_requests, body.open_returns], [1, 1]);
  t.deepEqual(
    body.open.map((each: any) => [each.request_id, each.delivered, each.machine_count]),
    [
      ['req-open', 2, 5],
      ['ret-1', 1, 2],
    ],
  );
  t.deepEqual(
    body.short.map((each: any) => each.request_id),
    ['req-short'],
  );
  t.deepEqual(body.templates, [
    { template_id: 'bounded', allocated: 1, requested: 0, limit: 5 },
    { template_id: 'small', allocated: 2, requested: 3, limit: null },
  ]);
  t.deepEqual(body.providers, [{ provider_instance: 'east', allocated: 3, requested: 3 }]);
});
