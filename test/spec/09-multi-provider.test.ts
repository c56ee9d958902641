import test from 'ava';
import { testTemplates, type BootedBroker } from '../support/boot-broker.ts';
import { provider, shape, specBroker } from './spec-broker.ts';

const template = { template_id: 'any', image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker({
    templates: [
      ...testTemplates,
      { ...template, template_id: 'large', provider_api: 'RunInstances', max_instances: 50, fleet_type: 'maintain' },
    ],
    configuration: {
      providers: [
        provider('east', { weight: 30 }),
        provider('west', { weight: 10, limits: { max_instances_per_request: 5 } }),
        provider('spare', { enabled: false }),
      ],
    },
  });
});
test.after.always(() => broker.close());

test('list providers: GET /providers/ answers providers, total and enabled', async (t) => {
  for (const path of ['/providers/', '/providers']) {
    const { status, body } = await broker.call('GET', path);
    t.is(status, 200);
    t.deepEqual(Object.keys(body), ['providers', 'total', 'enabled']);
    t.like(body, { total: 3, enabled: 2 });
  }
});

test('get provider: GET /providers/{name} answers the instance with configuration, limits and statistics', async (t) => {
  const { status, body } = await broker.call('GET', '/providers/west');
  t.is(status, 200);
  t.like(body, {
    name: 'west',
    limits: { max_instances_per_request: 5 },
    configuration: { region: 'us-east-1', secret_access_key: '***' },
  });
  t.is(body.statistics.total_requests, 0);
});

test('provider capabilities: GET /providers/{name}/capabilities, bounded by the limits of the instance', async (t) => {
  const { status, body } = await broker.call('GET', '/providers/west/capabilities');
  t.is(status, 200);
  t.is(body.provider_instance, 'west');
  t.deepEqual([...new Set(body.supported_apis.map((api: any) => api.max_instances))], [5]);
});

test('validate provider configuration: valid, and name, valid, errors and warnings of each entry', async (t) => {
  const { status, body } = await broker.call('POST', '/providers/validate', {
    providers: [
      { name: 'good', type: 'cloud', config: { region: 'eu-west-1' } },
      { name: 'bad', type: 'cloud', config: { cloud_max_retries: 11, proxy_port: 0, secret_access_key: 5 } },
    ],
  });
  t.is(status, 200);
  t.deepEqual(body, {
    valid: false,
    providers: [
      { name: 'good', valid: true, errors: [], warnings: [] },
      {
        name: 'bad',
        valid: false,
        errors: [
          '/config/cloud_max_retries: must be <= 10',
          '/config/proxy_port: must be >= 1',
          '/config/secret_access_key: must be a string or null, not a number',
        ],
        warnings: [],
      },
    ],
  });
});

test('validate with environment variables: the whole row, secrets masked', async (t) => {
  const { status, body } = await broker.call('POST', '/providers/validate-env', {
    provider_type: 'cloud',
    environment_variables: {
      MUSTER_CLOUD_REGION: 'eu-west-1',
      MUSTER_CLOUD_SESSION_TOKEN: 'hush',
      MUSTER_CLOUD_PROXY_PORT: '99999',
      MUSTER_CLOUD_REGOIN: 'typo',
      PATH: '/bin',
    },
  });
  t.is(status, 200);
  const { resolved_configuration, ...rest } = body;
  t.deepEqual(rest, {
    valid: false,
    provider_type: 'cloud',
    environment_variables: {
      recognized: ['MUSTER_CLOUD_REGION', 'MUSTER_CLOUD_SESSION_TOKEN'],
      ignored: ['MUSTER_CLOUD_REGOIN', 'PATH'],
      invalid: ['MUSTER_CLOUD_PROXY_PORT'],
    },
    validation_errors: ['MUSTER_CLOUD_PROXY_PORT: must be <= 65535'],
    warnings: ['MUSTER_CLOUD_REGOIN: no field has this name; did you mean MUSTER_CLOUD_REGION?'],
  });
  t.like(resolved_configuration, { region: 'eu-west-1', session_token: '***', proxy_port: null });
  t.notRegex(JSON.stringify(body), /hush/);
});

test('template with source: GET /templates/{template_id}?include_source=true', async (t) => {
  const { status, body } = await broker.call('GET', '/templates/small?include_source=true');
  t.is(status, 200);
  t.deepEqual(shape(body.template.source_info), {
    source_file: 'string',
    file_type: 'string',
    priority: 'integer',
    override_chain: [{ file: 'string', fields: ['string'] }],
  });
});

const row = { valid: 'boolean', provider_instance: 'string', validation_level: 'string' };

test('validate template against a provider: the row, strict by default', async (t) => {
  const { status, body } = await broker.call('POST', '/templates/small/validate', { provider_instance: 'east' });
  t.is(status, 200);
  const { errors, warnings, supported_features, unsupported_features, ...rest } = body;
  t.deepEqual(shape(rest), row);
  t.like(rest, { valid: true, provider_instance: 'east', validation_level: 'strict' });
  t.deepEqual([errors, warnings, unsupported_features], [[], [], []]);
  t.true(supported_features.includes('api:RunInstances'));
});

test('validate template against a provider: lenient makes limits and optional features warnings', async (t) => {
  const at = async (validation_level: string) =>
    (await broker.call('POST', '/templates/large/validate', { provider_instance: 'west', validation_level })).body;
  const [strict, lenient] = [await at('strict'), await at('lenient')];
  t.false(strict.valid);
  t.true(strict.errors.some((each: string) => each.startsWith('/max_instances: ')));
  t.true(lenient.valid, JSON.stringify(lenient.errors));
  t.true(lenient.warnings.some((each: string) => each.startsWith('/max_instances: ')));
  t.deepEqual(lenient.unsupported_features, strict.unsupported_features);
  t.true(strict.unsupported_features.includes('fleet_type:maintain'));
});

test('validate template against several providers: the row, keyed by instance', async (t) => {
  const { status, body } = await broker.call('POST', '/templates/large/validate-multi', {
    provider_instances: ['east', 'west', 'nowhere'],
    validation_level: 'strict',
  });
  t.is(status, 200);
  t.is(body.template_id, 'large');
  t.deepEqual(Object.keys(body.validation_results), ['east', 'west', 'nowhere']);
  for (const result of Object.values<object>(body.validation_results))
    t.deepEqual(Object.keys(result).toSorted(), ['errors', 'supported_features', 'valid', 'warnings']);
  t.deepEqual(body.compatible_providers, []);
  t.deepEqual(body.incompatible_providers, ['east', 'west', 'nowhere']);
  const small = await broker.call('POST', '/templates/small/validate-multi', { provider_instances: ['east', 'west'] });
  t.deepEqual(small.body.compatible_providers, ['east', 'west']);
});

test('create request with provider selection: 201 and the row, explicit', async (t) => {
  const { status, body } = await broker.call('POST', '/requests/', {
    templateId: 'small',
    maxNumber: 3,
    providerPreference: { type: 'explicit', provider_instance: 'west' },
  });
  t.is(status, 201);
  t.like(shape(body), {
    request_id: 'string',
    template_id: 'string',
    requested_count: 'integer',
    status: 'string',
    created_at: 'time',
  });
  t.like(body, { template_id: 'small', requested_count: 3, status: 'pending' });
  const { selection_time_ms: _, selection_reason, ...selection } = body.provider_selection;
  t.deepEqual(selection, { provider_type: 'cloud', provider_instance: 'west', confidence: 1, alternatives: [] });
  t.regex(selection_reason, /west/);
});

test('create request with provider selection: load balanced over a type, with a share as confidence and alternatives', async (t) => {
  const { body } = await broker.call('POST', '/requests/', {
    templateId: 'small',
    maxNumber: 1,
    providerPreference: { type: 'load_balanced', providerType: 'cloud' },
  });
  const { provider_instance, confidence, alternatives } = body.provider_selection;
  t.is(confidence, provider_instance === 'east' ? 0.75 : 0.25);
  t.deepEqual([provider_instance, ...alternatives].toSorted(), ['east', 'west']);
});

test('create request with provider selection: the preference is optional, every spelling of the count is taken', async (t) => {
  for (const name of [
    'maxNumber',
    'max_number',
    'machine_count',
    'machineCount',
    'count',
    'requested_count',
    'requestedCount',
  ])
    t.is((await broker.call('POST', '/requests/', { template_id: 'small', [name]: 2 })).body.requested_count, 2, name);
});

test('request with provider information: GET /requests/{request_id}/provider', async (t) => {
  const { body: created } = await broker.call('POST', '/requests/', { templateId: 'small', maxNumber: 1 });
  const { status, body } = await broker.call('GET', `/requests/${created.request_id}/provider`);
  t.is(status, 200);
  t.like(body, {
    request_id: created.request_id,
    provider_type: 'cloud',
    provider_instance: created.provider_selection.provider_instance,
    machines: [],
    created_at: created.created_at,
    completed_at: null,
  });
  t.deepEqual(Object.keys(body.provider_selection).toSorted(), [
    'alternatives',
    'confidence',
    'selection_reason',
    'selection_time_ms',
  ]);
});

test('test provider selection: the row, with what became of every other instance', async (t) => {
  const { status, body } = await broker.call('POST', '/providers/select', {
    template,
    selection_strategy: 'load_balanced',
    machine_count: 6,
  });
  t.is(status, 200);
  t.like(shape(body), {
    provider_type: 'string',
    provider_instance: 'string',
    selection_reason: 'string',
    confidence: 'integer',
    alternatives: [],
    selection_time_ms: 'integer',
    validation_result: { valid: 'boolean', supported_features: ['string'] },
  });
  t.is(body.provider_instance, 'east');
  t.deepEqual(
    body.rejected.map((each: any) => [each.name, each.code]),
    [
      ['west', 'INSTANCE_LIMIT_EXCEEDED'],
      ['spare', 'PROVIDER_DISABLED'],
    ],
  );
  t.deepEqual((await broker.call('GET', '/requests/?status=in_progress')).body.requests, [], 'nothing is requested');
});
