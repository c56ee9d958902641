import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';

const base = { provider_api: 'RunInstances', image_id: 'ami-1' };

test('the story of a request that fell back is told over REST, and the capacity that all requests share', async (t) => {
  const broker = await bootBroker({
    storage: 'memory',
    knobs: { capacity: [{ instance_type: 'm5.large', count: 0 }] },
    templates: [
      { template_id: 'two', ...base, machine_types: { 'm5.large': 1, 'c5.large': 1 }, subnet_ids: ['subnet-1'] },
      { template_id: 'open', ...base, machine_type: 't3.small' },
    ],
  });
  t.teardown(() => broker.close());
  const { body } = await broker.call('POST', '/machines/request', { template_id: 'two', machine_count: 1 });
  const path = `/requests/${body.request_id}`;
  await broker.until(async () => (await broker.call('GET', path)).body.status === 'completed');

  const { body: told } = await broker.call('GET', `${path}/explain`);
  const short = 'm5.large|subnet-1|on-demand';
  const other = 'c5.large|subnet-1|on-demand';
  t.is(
    told.because,
    `The machine was delivered by 'east' with '${other}', after 'east' had no capacity for '${short}' (InsufficientInstanceCapacity).`,
  );
  t.like(told, { request_id: body.request_id, status: 'completed', waiting_for: null, attempt_count: 2 });
  t.like(told.selection, {
    provider_instance: 'east',
    reason: 'it is asked for what is missing, after its last order got InsufficientInstanceCapacity',
  });
  const [first, second] = told.attempts;
  t.like(first, { attempt: 1, state: 'closed', offers: [short], machine_count: 1 });
  t.like(first.outcomes[0], { code: 'InsufficientInstanceCapacity', offer: short });
  t.regex(first.cloud_request_ids[0], /^[0-9a-f-]{36}$/);
  t.true(first.created_at <= first.sent_at && first.sent_at <= first.ended_at);
  t.like(second, { attempt: 2, state: 'launched', offers: [other], outcomes: [] });
  t.not(first.token, second.token);
  const [{ offers }] = told.order;
  t.like(
    offers.find(({ key }: any) => key === short),
    { state: 'short' },
  );

  const { body: all } = await broker.call('GET', '/capacity/');
  t.is(all.total_count, 3);
  const row = all.offers.find(({ offer }: any) => offer === short);
  t.like(row, {
    provider_instance: 'east',
    provider_api: 'RunInstances',
    machine_type: 'm5.large',
    market: 'ondemand',
    state: 'short',
    code: 'InsufficientInstanceCapacity',
    template_ids: ['two'],
  });
  t.true(row.short_since < row.tried_again_at);
  t.deepEqual(
    (await broker.call('GET', '/capacity?state=free&template_id=open')).body.offers.map(({ offer }: any) => offer),
    ['t3.small|*|on-demand'],
  );

  const missing = await broker.call('GET', '/requests/req-none/explain');
  t.is(missing.status, 404);
  t.is(missing.body.code, 'REQUEST_NOT_FOUND');
});
