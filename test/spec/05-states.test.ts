import test from 'ava';
import { requestStatuses } from '../../core/model/request.ts';
import { machineStatuses } from '../../core/model/machine.ts';
import { specBroker } from './spec-broker.ts';

test('states: a request is pending, in_progress, completed, failed or cancelled, and the list filters by each', async (t) => {
  const broker = await specBroker();
  t.teardown(() => broker.close());
  await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  const found: Record<string, number> = {};
  for (const status of requestStatuses) {
    const answer = await broker.call('GET', `/requests/?status=${status}`);
    t.is(answer.status, 200);
    found[status] = answer.body.total_count;
  }
  t.deepEqual(found, { pending: 1, in_progress: 0, completed: 0, failed: 0, cancelled: 0 });
  t.is((await broker.call('GET', '/requests/?status=running')).status, 400);
});

test('states: a new request is pending, to HostFactory running', async (t) => {
  for (const [scheduler, word] of [
    ['default', 'pending'],
    ['hostfactory', 'running'],
  ] as const) {
    const broker = await specBroker({ scheduler });
    const { body } = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
    t.is(body.status, word);
    t.is((await broker.call('POST', '/requests/', { template_id: 'small', machine_count: 1 })).body.status, word);
    await broker.close();
  }
});

test('states: the words for machines are seven, running among them', (t) => {
  t.deepEqual(
    [...machineStatuses],
    ['pending', 'running', 'shutting-down', 'stopping', 'stopped', 'terminated', 'failed'],
  );
});

test('states: pending, in_progress, completed; then its machines are running, and after their return terminated', async (t) => {
  const broker = await specBroker({ loop: 'inline', knobs: { boot_ms: 400 } });
  t.teardown(() => broker.close());
  const { request_id } = (await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 }))
    .body;
  const seen = new Set<string>(['pending']);
  const done = await broker.until(async () => {
    const { body } = await broker.call('GET', `/requests/${request_id}/status`);
    seen.add(body.status);
    return body.status === 'completed' && body;
  });
  t.deepEqual([...seen], ['pending', 'in_progress', 'completed']);
  t.deepEqual(done.fulfilment, { requested: 2, delivered: 2, final: true, shortfall: [] });
  t.deepEqual(
    done.machines.map((each: any) => each.status),
    ['running', 'running'],
  );

  const machine_ids = done.machines.map((each: any) => each.machine_id);
  const { body: returned } = await broker.call('POST', '/machines/return', { machine_ids });
  t.regex(returned.request_id, /^ret-/);
  await broker.until(
    async () => (await broker.call('GET', `/requests/${returned.request_id}`)).body.status === 'completed',
  );
  const { body: after } = await broker.call('GET', `/requests/${request_id}`);
  t.is(after.status, 'completed', 'the status of an ended request never changes');
  t.is(after.fulfilment.delivered, 2, 'delivered counts machines that were returned since');
  t.deepEqual(
    after.machines.map((each: any) => each.status),
    ['terminated', 'terminated'],
  );
});

test('states: nothing delivered is failed, some is completed with what is missing and why', async (t) => {
  const broker = await specBroker({ loop: 'inline', knobs: { capacity: [{ instance_type: 't3.small', count: 1 }] } });
  t.teardown(() => broker.close());
  const ended = async (machine_count: number) => {
    const { body } = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count });
    return broker.until(async () => {
      const answer = await broker.call('GET', `/requests/${body.request_id}`);
      return answer.body.completed_at !== null && answer.body;
    });
  };
  const partial = await ended(2);
  t.is(partial.status, 'completed');
  t.like(partial.fulfilment, { requested: 2, delivered: 1, final: true });
  t.like(partial.fulfilment.shortfall[0], { kind: 'capacity', code: 'InsufficientInstanceCapacity' });
  const none = await ended(1);
  t.is(none.status, 'failed');
  t.like(none.fulfilment, { requested: 1, delivered: 0, final: true });
});

test('states: a cancelled request is cancelled once everything is released; again is the same, after its end it is refused', async (t) => {
  const broker = await specBroker({ loop: 'inline', knobs: { boot_ms: 60_000 } });
  t.teardown(() => broker.close());
  const { request_id } = (await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 }))
    .body;
  await broker.until(async () => (await broker.call('GET', `/requests/${request_id}`)).body.status === 'in_progress');
  const first = await broker.call('DELETE', `/requests/${request_id}?reason=enough`);
  t.is(first.status, 202);
  t.like(first.body, { request_id, status: 'in_progress' });
  await broker.until(async () => (await broker.call('GET', `/requests/${request_id}`)).body.status === 'cancelled');
  const again = await broker.call('DELETE', `/requests/${request_id}`);
  t.is(again.status, 202);
  t.is(again.body.status, 'cancelled');
  t.deepEqual(broker.simulator.ledger().live, {});
});

test('states: completed and failed requests and returns cannot be cancelled', async (t) => {
  const broker = await specBroker({ loop: 'inline' });
  t.teardown(() => broker.close());
  const { request_id } = (await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 }))
    .body;
  const { machines } = await broker.until(async () => {
    const { body } = await broker.call('GET', `/requests/${request_id}`);
    return body.status === 'completed' && body;
  });
  const ended = await broker.call('DELETE', `/requests/${request_id}`);
  t.is(ended.status, 409);
  t.regex(ended.body.detail, /completed already/);
  const { body } = await broker.call('POST', '/machines/return', { machine_ids: [machines[0].machine_id] });
  const back = await broker.call('DELETE', `/requests/${body.request_id}`);
  t.is(back.status, 409);
  t.regex(back.body.detail, /is a return/);
});

test('states: to HostFactory a cancelled request is complete_with_error and its machines fail', async (t) => {
  const broker = await specBroker({ scheduler: 'hostfactory', loop: 'inline', knobs: { boot_ms: 60_000 } });
  t.teardown(() => broker.close());
  const { requestId } = (await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 }))
    .body;
  const seen = async () => (await broker.call('GET', `/requests/${requestId}`)).body.requests[0];
  await broker.until(async () => (await seen()).machines.length === 1);
  t.is((await seen()).machines[0].result, 'executing');
  await broker.call('DELETE', `/requests/${requestId}`);
  const ended = await broker.until(async () => {
    const request = await seen();
    return request.status !== 'running' && request;
  });
  t.is(ended.status, 'complete_with_error');
  t.is(ended.machines[0].result, 'fail');
});
