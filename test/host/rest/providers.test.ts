import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';

test('the capabilities of an instance are answered without a call of the cloud', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  const { status, body } = await broker.call('GET', '/providers/east/capabilities');
  t.is(status, 200);
  t.deepEqual(
    body.supported_apis.map((api: { name: string }) => api.name),
    ['EC2Fleet', 'RunInstances'],
  );
  t.deepEqual(body.supported_apis[0], {
    name: 'EC2Fleet',
    supports_spot: true,
    supports_on_demand: true,
    max_instances: 1000,
    supported_fleet_types: ['instant', 'request', 'maintain'],
  });
  t.like(body, { provider_instance: 'east', finds_orphans: true });
  t.deepEqual(body.pricing_models, ['ondemand', 'spot']);
  t.deepEqual(body.regions, ['us-east-1']);
  t.true(body.availability_zones.includes('us-east-1a'));
  t.deepEqual(body.offers_without_capacity, []);
  t.is(broker.simulator.audit().length, 0);
});

test('an unknown instance is refused by name, in the form of the multi-provider routes', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  const { status, body } = await broker.call('GET', '/providers/eats/capabilities');
  t.is(status, 404);
  t.like(body.error, {
    code: 'PROVIDER_NOT_FOUND',
    message: "Provider instance 'eats' is not in the configuration; did you mean 'east'?",
  });
  t.like(body.error.details, { requested_provider: 'eats', available_providers: ['east'] });
});

test('offers without capacity are listed for a while, and a request that needs them reports them', async (t) => {
  const broker = await bootBroker({
    knobs: { capacity: [{ instance_type: 't3.small', count: 0 }] },
    settings: { offer_probe_ms: 120_000 },
  });
  t.teardown(() => broker.close());
  const ended = async () => {
    const { body } = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
    return broker.until(async () => {
      const answer = await broker.call('GET', `/requests/${body.request_id}/status`);
      return answer.body.status === 'failed' && answer.body;
    });
  };
  await ended();
  const { body } = await broker.call('GET', '/providers/east/capabilities');
  const [lacking, ...others] = body.offers_without_capacity;
  t.deepEqual(others, []);
  t.like(lacking, {
    provider_api: 'RunInstances',
    offer: 't3.small|subnet-1|on-demand',
    kind: 'capacity',
    code: 'InsufficientInstanceCapacity',
  });
  t.is(Date.parse(lacking.until) - Date.parse(lacking.since), 180_000);
  t.is(Date.parse(lacking.tried_again_at) - Date.parse(lacking.since), 120_000);
  const launches = () => broker.simulator.audit().filter(({ action }) => action === 'RunInstances').length;
  const before = launches();
  const second = await ended();
  t.is(launches(), before, 'it is not asked again');
  t.like(second.fulfilment.shortfall[0], {
    offer: 't3.small|subnet-1|on-demand',
    code: 'InsufficientInstanceCapacity',
  });
  t.regex(second.message, /^0 of 1 machines delivered\. Not retried yet: /);
});
