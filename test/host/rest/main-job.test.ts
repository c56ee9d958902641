import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';

test('machines are requested, followed and returned', async (t) => {
  const broker = await bootBroker();
  t.teardown(() => broker.close());
  const asked = await broker.call('POST', '/machines/request', { template_id: 'fleet', machine_count: 3 });
  t.like(asked.body, { template_id: 'fleet', machine_count: 3, status: 'pending' });
  const path = `/requests/${asked.body.request_id}/status`;
  const status = await broker.until(async () => {
    const answer = await broker.call('GET', path);
    return answer.body.status === 'completed' && answer;
  });
  t.is(status.body.machines.length, 3);
  t.regex(status.headers['x-observed-at'] ?? '', /^\d{4}-\d\d-\d\dT/);

  const [first] = status.body.machines.map((machine: { machine_id: string }) => machine.machine_id);
  const returned = await broker.call('POST', '/machines/return', { machine_ids: [first] });
  t.is(returned.status, 200);
  const returnPath = `/requests/${returned.body.request_id}`;
  await broker.until(async () => (await broker.call('GET', returnPath)).body.status === 'completed');
  const states = (await broker.call('GET', path)).body.machines
    .map((machine: { status: string }) => machine.status)
    .toSorted();
  t.deepEqual(states, ['running', 'running', 'terminated']);
  t.is(broker.simulator.ledger().live[asked.body.request_id]?.length, 2);

  t.is((await broker.call('POST', '/machines/return', { machine_ids: [first] })).status, 200);
  t.is((await broker.call('GET', '/requests/return')).body.count, 0);
  t.is((await broker.call('GET', `${path}?long=false`)).body.machines, undefined);
  t.is((await broker.call('GET', '/requests/')).body.total_count, 3);
});

test('the same in the words of HostFactory', async (t) => {
  const broker = await bootBroker({ scheduler: 'hostfactory' });
  t.teardown(() => broker.close());
  const asked = await broker.call('POST', '/machines/request', { templateId: 'small', machineCount: 2 });
  t.like(asked.body, { templateId: 'small', machineCount: 2, status: 'running' });
  const path = `/requests/${asked.body.requestId}/status`;
  const request = await broker.until(async () => {
    const [request] = (await broker.call('GET', path)).body.requests;
    return request.status === 'complete' && request;
  });
  t.deepEqual(
    request.machines.map((machine: { result: string }) => machine.result),
    ['succeed', 'succeed'],
  );
  const machineIds = request.machines.map((machine: { machineId: string }) => machine.machineId);
  const returned = await broker.call('POST', '/machines/return', { machineIds });
  await broker.until(
    async () =>
      (await broker.call('GET', `/requests/${returned.body.requestId}`)).body.requests[0].status === 'complete',
  );
  t.deepEqual(broker.simulator.ledger().live, {});
});

test('every spelling of the count is the same field', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  for (const field of ['machine_count', 'machineCount', 'count', 'requested_count', 'requestedCount']) {
    const answer = await broker.call('POST', '/machines/request', { templateId: 'small', [field]: 2 });
    t.is(answer.body.machine_count, 2, field);
  }
  t.is(
    (
      await broker.call('POST', '/machines/request', {
        template_id: 'small',
        templateId: 'small',
        count: 2,
        machine_count: 2,
      })
    ).status,
    200,
  );
});

test('the loop in a thread of its own serves the same, and says so', async (t) => {
  const broker = await bootBroker({ loop: 'thread' });
  t.teardown(() => broker.close());
  const asked = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 });
  const path = `/requests/${asked.body.request_id}/status`;
  await broker.until(async () => (await broker.call('GET', path)).body.status === 'completed');
  t.is((await broker.app.inject('/info')).json().loop, 'thread');
  t.is((await broker.app.inject('/readyz')).statusCode, 200);
});
