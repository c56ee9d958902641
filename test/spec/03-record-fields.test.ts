import test from 'ava';
import type { BootedBroker } from '../support/boot-broker.ts';
import { shape, specBroker } from './spec-broker.ts';

const selection = {
  selection_reason: 'string',
  confidence: 'integer',
  alternatives: [],
  selection_time_ms: 'integer',
};

/** One broker that delivers: its requests, machines and instance are looked at by every test. */
let broker: BootedBroker;
let id: string;
let status: any;
test.before(async () => {
  broker = await specBroker({ loop: 'inline' });
  id = (await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 })).body.request_id;
  status = await broker.until(async () => {
    const { body } = await broker.call('GET', `/requests/${id}/status`);
    return body.status === 'completed' && body;
  });
});
test.after.always(() => broker.close());

test('request: request_id is a text that the service makes, template_id the template, machine_count the number asked for', (t) => {
  t.regex(id, /^req-/);
  t.like(status, { request_id: id, template_id: 'small', machine_count: 2, requested_count: 2 });
});

test('request: status is a word of the states', (t) => t.is(status.status, 'completed'));

test('request: the detailed status has the machines', (t) => t.is(status.machines.length, 2));

test('request: provider_type and provider_instance say who serves it', (t) =>
  t.like(status, { provider_type: 'cloud', provider_instance: 'east' }));

test('request: provider_selection has a reason, a confidence, alternatives and the time it took', (t) => {
  t.deepEqual(shape(status.provider_selection), selection);
});

test('request: created_at and completed_at are ISO 8601 times', (t) => {
  t.is(shape(status.created_at), 'time');
  t.is(shape(status.completed_at), 'time');
  t.true(status.created_at <= status.completed_at);
});

test('request: completed_at is null while it is not ended', async (t) => {
  const idle = await specBroker();
  t.teardown(() => idle.close());
  const { body } = await idle.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  t.like((await idle.call('GET', `/requests/${body.request_id}`)).body, {
    completed_at: null,
    status: 'pending',
    machines: [],
  });
});

test('machine: the request has machine_id, status, private_ip, provider_instance and created_at', (t) => {
  t.like(shape(status.machines[0]), {
    machine_id: 'string',
    status: 'string',
    private_ip: 'string',
    provider_instance: 'string',
    created_at: 'time',
  });
  t.like(status.machines[0], { status: 'running', provider_instance: 'east' });
  t.regex(status.machines[0].private_ip, /^\d+\.\d+\.\d+\.\d+$/);
});

test('request with provider information: the form of the row, with any scheduler', async (t) => {
  const hostfactory = await specBroker({ scheduler: 'hostfactory', loop: 'inline' });
  t.teardown(() => hostfactory.close());
  const asked = await hostfactory.call('POST', '/machines/request', { templateId: 'small', machineCount: 1 });
  const theirs = await hostfactory.until(async () => {
    const { body } = await hostfactory.call('GET', `/requests/${asked.body.requestId}/provider`);
    return body.status === 'completed' && body;
  });
  const ours = (await broker.call('GET', `/requests/${id}/provider`)).body;
  const row = {
    request_id: 'string',
    template_id: 'string',
    requested_count: 'integer',
    status: 'string',
    provider_type: 'string',
    provider_instance: 'string',
    machines: [
      {
        machine_id: 'string',
        status: 'string',
        private_ip: 'string',
        provider_instance: 'string',
        created_at: 'time',
      },
    ],
    provider_selection: selection,
    created_at: 'time',
    completed_at: 'time',
  };
  t.like(shape(ours), row);
  t.deepEqual(shape(theirs), shape(ours));
});

test('provider instance: every field of the row, with its type', async (t) => {
  const { body } = await broker.call('GET', '/providers/east');
  const { configuration, ...rest } = body;
  t.deepEqual(shape(rest), {
    name: 'string',
    type: 'string',
    enabled: 'boolean',
    priority: 'integer',
    weight: 'integer',
    capabilities: ['string'],
    status: 'string',
    answered_at: 'time',
    limits: { max_instances_per_request: 'integer', max_concurrent_requests: 'null' },
    statistics: {
      total_requests: 'integer',
      successful_requests: 'integer',
      failed_requests: 'integer',
      average_response_time_ms: 'integer',
    },
  });
  t.like(configuration, { region: 'us-east-1', profile: null });
  t.deepEqual(rest.capabilities, ['EC2Fleet', 'RunInstances']);
  t.is(rest.status, 'healthy');
});

test('provider instance: its statistics count the requests that ended', async (t) => {
  const measured = await broker.until(async () => {
    const { body } = await broker.call('GET', '/providers/east');
    return body.statistics.total_requests > 0 && body.statistics;
  });
  t.like(measured, { total_requests: 1, successful_requests: 1, failed_requests: 0 });
});

test('provider instance: status is unknown until it answered, and disabled where enabled is false', async (t) => {
  const off = await specBroker({
    configuration: {
      providers: [
        { name: 'on', type: 'cloud' },
        { name: 'off', type: 'cloud', enabled: false, limits: { max_concurrent_requests: 3 } },
      ],
    },
  });
  t.teardown(() => off.close());
  const { body } = await off.call('GET', '/providers/?sort=name:desc');
  t.deepEqual(
    body.providers.map((each: any) => [each.name, each.status, each.limits.max_concurrent_requests]),
    [
      ['on', 'unknown', null],
      ['off', 'disabled', 3],
    ],
  );
});

test('provider list: providers with their number, and how many are enabled', async (t) => {
  const { body } = await broker.call('GET', '/providers/');
  t.deepEqual(Object.keys(body), ['providers', 'total', 'enabled']);
  t.like(body, { total: 1, enabled: 1 });
  t.is(body.providers[0].name, 'east');
});

test('provider capabilities: APIs with markets, bound and fleet types; pricing models, regions and zones', async (t) => {
  const { body } = await broker.call('GET', '/providers/east/capabilities');
  t.like(shape(body), {
    provider_instance: 'string',
    supported_apis: [
      {
        name: 'string',
        supports_spot: 'boolean',
        supports_on_demand: 'boolean',
        max_instances: 'integer',
        supported_fleet_types: ['string'],
      },
    ],
    pricing_models: ['string'],
    regions: ['string'],
    availability_zones: ['string'],
  });
  t.deepEqual(body.pricing_models, ['ondemand', 'spot']);
  t.deepEqual(body.supported_apis[0].supported_fleet_types, ['instant', 'request', 'maintain']);
});
