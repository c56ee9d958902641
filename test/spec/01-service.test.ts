import test from 'ava';
import { operations } from '../../core/operations/registry.ts';
import { camel, provider, specBroker } from './spec-broker.ts';
import { makePlace, type BootedBroker } from '../support/boot-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker({ configuration: { providers: [provider('east'), provider('west')] } });
});
test.after.always(() => broker.close());

test('service: every REST path is below /api/v1 and nothing of the API is outside it', async (t) => {
  for (const path of ['/templates/', '/requests/', '/providers/']) {
    t.is((await broker.app.inject(`/api/v1${path}`)).statusCode, 200, path);
    t.is((await broker.app.inject(path)).statusCode, 404, path);
  }
});

test('service: templates, requests, returns and states are reachable, each under its own path', (t) => {
  const routes = operations.flatMap(({ rest }) => [rest ?? []].flat().map(({ method, path }) => `${method} ${path}`));
  for (const route of [
    'GET /templates/',
    'POST /templates/',
    'POST /machines/request',
    'POST /machines/return',
    'GET /requests/{request_id}/status',
  ])
    t.true(routes.includes(route), route);
});

test('service: several provider instances can be configured, each with name, type, enabled, priority and weight', async (t) => {
  const { body } = await broker.call('GET', '/providers/');
  t.deepEqual(
    body.providers.map((each: Record<string, unknown>) => [
      each['name'],
      each['type'],
      each['enabled'],
      each['priority'],
      each['weight'],
    ]),
    [
      ['east', 'cloud', true, 1, 10],
      ['west', 'cloud', true, 1, 10],
    ],
  );
});

const template = { template_id: 'any', image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
const ways: readonly (readonly [string, object, string])[] = [
  ['explicitly', { selection_strategy: 'explicit', provider_instance: 'west', template }, 'explicit'],
  [
    'by type with load balancing',
    { selection_strategy: 'load_balanced', provider_type: 'cloud', template },
    'load_balanced',
  ],
  [
    'by provider API',
    { selection_strategy: 'api_based', template: { ...template, provider_api: 'RunInstances' } },
    'api_based',
  ],
  ['by default selection', { template }, 'default'],
];
for (const [way, body, strategy] of ways) {
  test(`service: a provider is chosen ${way}`, async (t) => {
    const answer = await broker.call('POST', '/providers/select', body);
    t.is(answer.status, 200);
    t.is(answer.body.selection_strategy, strategy);
  });
}

test('service: the shapes of request, return, list and status follow the scheduler strategy', async (t) => {
  const hostfactory = await specBroker({ scheduler: 'hostfactory' });
  t.teardown(() => hostfactory.close());
  const asked = { template_id: 'small', machine_count: 1 };
  const keys = async (each: BootedBroker) => {
    const created = (await each.call('POST', '/machines/request', asked)).body;
    const id = created.request_id ?? created.requestId;
    const list = (await each.call('GET', '/requests/')).body;
    const status = (await each.call('GET', `/requests/${id}/status`)).body;
    return [Object.keys(created), Object.keys(list), Object.keys(status)];
  };
  const [created, list, status] = await keys(broker);
  t.deepEqual(created, ['request_id', 'template_id', 'machine_count', 'status', 'message']);
  t.deepEqual(list, ['requests', 'count', 'total_count']);
  t.true(status?.includes('request_id'));
  t.deepEqual(await keys(hostfactory), [
    ['requestId', 'templateId', 'machineCount', 'status', 'message'],
    ['requests'],
    ['requests'],
  ]);
});

test('service: an unknown scheduler strategy stops the start with the known ones', async (t) => {
  const place = await makePlace({ scheduler: 'hostfctory' as 'default' });
  t.teardown(() => place.close());
  const error = await t.throwsAsync(specBroker({ place }));
  t.regex(error?.message ?? '', /'hostfctory'; did you mean 'hostfactory'/);
});

/** Every field that a body of the REST interface takes, by route, with a value that its check takes. */
const bodies: readonly (readonly ['POST' | 'PUT', string, Readonly<Record<string, unknown>>])[] = [
  [
    'POST',
    '/templates/validate',
    {
      template_id: 'spelt',
      provider_api: 'EC2Fleet',
      image_id: 'ami-1',
      machine_type: 't3.small',
      key_name: 'k',
      security_group_ids: ['sg-1'],
      subnet_ids: ['subnet-1'],
      user_data: 'aGk=',
      tags: {},
      name: 'n',
      version: '2',
      provider_type: 'cloud',
      provider_name: 'east',
      max_instances: 5,
    },
  ],
  [
    'PUT',
    '/templates/small',
    { key_name: 'k', image_id: 'ami-2', provider_api: 'RunInstances', user_data: 'aGk=', subnet_ids: ['subnet-2'] },
  ],
  ['POST', '/machines/request', { template_id: 'small', machine_count: 1, additional_data: {} }],
  [
    'POST',
    '/requests/',
    {
      template_id: 'small',
      machine_count: 1,
      additional_data: {},
      provider_preference: { provider_instance: 'east' },
    },
  ],
  ['POST', '/providers/validate', { providers: [] }],
  ['POST', '/providers/validate-env', { provider_type: 'cloud', environment_variables: {} }],
  [
    'POST',
    '/providers/select',
    { template_id: 'small', selection_strategy: 'default', machine_count: 1, request_id: 'k' },
  ],
  ['POST', '/providers/select', { template_id: 'small', provider_instance: 'east' }],
  ['POST', '/providers/select', { template_id: 'small', provider_type: 'cloud' }],
  ['POST', '/templates/small/validate', { provider_instance: 'east', validation_level: 'strict' }],
  ['POST', '/templates/small/validate-multi', { provider_instances: ['east'], validation_level: 'lenient' }],
];
for (const [method, path, body] of bodies) {
  test(`naming: ${method} ${path} takes ${Object.keys(body).join(', ')} in camelCase as in snake_case`, async (t) => {
    const spelt = (each: unknown): unknown =>
      Object.fromEntries(
        Object.entries(each as object).map(([name, value]) => [
          camel(name),
          name === 'provider_preference' ? spelt(value) : value,
        ]),
      );
    const snake = await broker.call(method, path, body);
    const same = await broker.call(method, path, spelt(body));
    t.true(snake.status < 300, JSON.stringify(snake.body));
    t.is(same.status, snake.status, JSON.stringify(same.body));
    const { validationWarnings } = same.body as { validationWarnings?: readonly string[] };
    t.deepEqual(validationWarnings ?? [], []);
  });
}

test('naming: machines are returned by machine_ids and machineIds alike', async (t) => {
  for (const name of ['machine_ids', 'machineIds']) {
    const answer = await broker.call('POST', '/machines/return', { [name]: ['i-none'] });
    t.is(answer.status, 404);
    t.regex(answer.body.detail, /i-none/);
  }
});

test('naming: answers of template writes have camelCase keys, templates themselves snake_case fields', async (t) => {
  const created = await broker.call('POST', '/templates/', { ...template, template_id: 'cased' });
  t.deepEqual(Object.keys(created.body), ['message', 'templateId', 'timestamp']);
  const { body } = await broker.call('GET', '/templates/cased');
  t.deepEqual(
    Object.keys(body.template).filter((name) => /[A-Z]/.test(name)),
    [],
  );
});

test('naming: requests of the default scheduler are snake_case throughout', async (t) => {
  const { body } = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  const status = await broker.call('GET', `/requests/${body.request_id}`);
  t.notRegex(JSON.stringify([body, status.body]), /"[a-z]+[A-Z]\w*":/);
});
