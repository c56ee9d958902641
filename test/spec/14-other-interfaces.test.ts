import test from 'ava';
import { codes, type Code } from '../../core/contract/errors.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { operations as registered } from '../../core/operations/registry.ts';
import { RequestQueries } from '../../core/requests/queries/request-queries.ts';
import { compile } from '../../core/schema/compile.ts';
import { localExecutor } from '../../host/sdk/local-executor.ts';
import { clientOver, type BrokerClient } from '../../host/sdk/client.ts';
import { sdkError } from '../../host/sdk/errors.ts';
import * as sdk from '../../host/sdk/index.ts';
import type { BootedBroker, BootOptions } from '../support/boot-broker.ts';
import { camel, provider, specBroker } from './spec-broker.ts';

const operations: readonly Operation<any, any>[] = registered;

async function program(
  options: BootOptions = {},
): Promise<{ readonly muster: BrokerClient; readonly broker: BootedBroker }> {
  const broker = await specBroker(options);
  return { muster: clientOver(localExecutor(broker.broker), async () => {}), broker };
}

test('SDK: methods have the name of the class without Command or Query in snake_case, and in camelCase', async (t) => {
  const { muster, broker } = await program();
  t.teardown(() => broker.close());
  for (const { class_name, name } of operations) {
    const stem = class_name.replace(/(Command|Query)$/, '');
    t.is(name, stem.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase());
    for (const method of [name, stem.replace(/^[A-Z]/, (letter) => letter.toLowerCase())])
      t.is(typeof (muster as any)[method], 'function', method);
  }
});

test('SDK: count and requested_count, and provider for provider_name and provider_instance, are taken wherever the field is, in both spellings', (t) => {
  const aliases = {
    machine_count: ['count', 'requested_count'],
    provider_name: ['provider'],
    provider_instance: ['provider', 'provider_name'],
  };
  for (const [field, others] of Object.entries(aliases)) {
    const having = operations.filter(({ input }) => field in input.properties);
    t.true(having.length >= 3, field);
    for (const { name, input } of having) {
      for (const spelling of [...others, field].flatMap((each) => [each, camel(each)]))
        t.deepEqual(
          compile(input).canonical({ [spelling]: 'x' }),
          { value: { [field]: 'x' }, findings: [] },
          `${name}: ${spelling}`,
        );
    }
  }
});

test('SDK: a request is made with count, and provider names an instance', async (t) => {
  const bound = {
    template_id: 'bound',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
    provider_name: 'east',
  };
  const { muster, broker } = await program({
    templates: [bound, { ...bound, template_id: 'small', provider_name: 'west' }],
  });
  t.teardown(() => broker.close());
  t.is((await muster.create_request({ template_id: 'bound', count: 3 })).machine_count, 3);
  t.is((await muster.createRequest({ templateId: 'bound', requestedCount: 2 })).machine_count, 2);
  t.is((await muster.get_provider({ provider: 'east' })).name, 'east');
  t.is((await muster.listTemplates({ provider: 'east' })).templates[0]?.template_id, 'bound');
});

const classes: Readonly<Record<string, readonly Code[]>> = {
  NotFoundError: ['TEMPLATE_NOT_FOUND', 'REQUEST_NOT_FOUND', 'MACHINE_NOT_FOUND', 'PROVIDER_NOT_FOUND'],
  AlreadyExistsError: ['ALREADY_EXISTS'],
  ConfigurationError: ['INVALID_CONFIGURATION', 'FILE_NOT_FOUND', 'PARSE_ERROR'],
  ProviderError: [
    'PROVIDER_DISABLED',
    'NO_ENABLED_PROVIDERS',
    'PROVIDER_TYPE_MISMATCH',
    'API_NOT_SUPPORTED',
    'INSTANCE_LIMIT_EXCEEDED',
    'INSTANCE_BUSY',
  ],
  HandlerDiscoveryError: ['NOT_FOUND'],
};

test('SDK: every refusal is an SDKError, of the class of its code', (t) => {
  for (const code of Object.keys(codes) as Code[]) {
    const name = Object.keys(classes).find((each) => classes[each]?.includes(code)) ?? 'MethodExecutionError';
    const error = sdkError(code, 'Why.', { some: 'detail' });
    t.true(error instanceof sdk.SDKError && error instanceof Error && error instanceof (sdk as any)[name], code);
    t.like(error, { name, code, message: 'Why.', details: { some: 'detail' } });
  }
});

const entities: readonly (readonly [string, string, (muster: BrokerClient) => Promise<unknown>])[] = [
  ['template', 'none', (muster) => muster.get_template({ template_id: 'none' })],
  ['template', 'none', (muster) => muster.create_request({ template_id: 'none', count: 1 })],
  ['request', 'req-none', (muster) => muster.cancel_request({ request_id: 'req-none' })],
  ['machine', 'i-none', (muster) => muster.get_machine({ machine_id: 'i-none' })],
  ['machine', 'i-1, i-2', (muster) => muster.create_return_request({ machine_ids: ['i-1', 'i-2'] })],
  ['provider', 'none', (muster) => muster.get_provider_capabilities({ provider_name: 'none' })],
  [
    'provider',
    'none',
    (muster) =>
      muster.create_request({
        template_id: 'small',
        count: 1,
        provider_preference: { type: 'explicit', provider_instance: 'none' },
      }),
  ],
];

test('SDK: NotFoundError and AlreadyExistsError carry entity_type and entity_id', async (t) => {
  const { muster, broker } = await program();
  t.teardown(() => broker.close());
  for (const [entity_type, entity_id, call] of entities)
    t.like(await t.throwsAsync(call(muster), { instanceOf: sdk.NotFoundError }), { entity_type, entity_id });
  const template = { template_id: 'made', image_id: 'ami-1', provider_api: 'RunInstances', machine_type: 't3.small' };
  const request = { template_id: 'small', request_id: 'req-made' };
  await muster.create_template(template);
  await muster.create_request({ ...request, count: 1 });
  const taken = [muster.create_template(template), muster.create_request({ ...request, count: 2 })];
  for (const [place, [entity_type, entity_id]] of [
    ['template', 'made'] as const,
    ['request', 'req-made'] as const,
  ].entries())
    t.like(await t.throwsAsync(taken[place] as Promise<unknown>, { instanceOf: sdk.AlreadyExistsError }), {
      entity_type,
      entity_id,
    });
});

test('internal defaults: list-requests gives 50 from the first on, and only what has not ended', async (t) => {
  const { muster, broker } = await program();
  t.teardown(() => broker.close());
  const ids: string[] = [];
  for (let i = 0; i < 52; i += 1)
    ids.push((await muster.create_request({ template_id: 'small', count: 1 })).request_id);
  const [ended = ''] = ids;
  const record = await broker.broker.store.get('request', { request_id: ended });
  await broker.broker.store.commit([
    { op: 'update', kind: 'request', record: { ...record!, status: 'completed' }, version: record!.version },
  ]);
  const first = await muster.list_active_requests();
  t.deepEqual([first.count, first.total_count], [50, 51]);
  t.deepEqual(first, await muster.list_active_requests({ limit: 50, offset: 0, all_resources: false }));
  const { requests } = await muster.list_active_requests({ offset: 50 });
  const seen = [...first.requests, ...requests].map(({ request_id }) => request_id);
  t.deepEqual([ended, ...seen].toSorted(), ids.toSorted());
  t.is((await muster.list_active_requests({ all_resources: true })).total_count, 52);
  t.is((await muster.list_active_requests({ status: 'completed' })).requests[0]?.request_id, ended);
  t.is((await broker.call('GET', '/requests/')).body.total_count, 52, 'REST knows no such parameter and lists all');
  t.is((await broker.call('GET', '/requests/?all_resources=false')).status, 400);
});

test('internal defaults: list-templates gives 50 from the first on, and only those that machines can be had from', async (t) => {
  const base = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'], provider_api: 'RunInstances' };
  const many = Array.from({ length: 51 }, (_, i) => ({ ...base, template_id: `t${String(i).padStart(2, '0')}` }));
  const { muster, broker } = await program({
    templates: [
      ...many,
      { ...base, template_id: 'x-disabled', provider_name: 'west' },
      { ...base, template_id: 'x-elsewhere', provider_type: 'other' },
      { ...base, template_id: 'x-none', max_instances: 0 },
      { ...base, template_id: 'x-unserved', provider_api: 'ASG' },
    ],
    configuration: { providers: [provider('east'), provider('west', { enabled: false })] },
  });
  t.teardown(() => broker.close());
  const first = await muster.list_templates();
  t.deepEqual([first.count, first.total_count], [50, 51]);
  t.deepEqual((await muster.list_templates({ limit: 50, offset: 0, active_only: true })).templates, first.templates);
  t.deepEqual(
    (await muster.list_templates({ offset: 50 })).templates.map(({ template_id }) => template_id),
    ['t50'],
  );
  const all = await muster.list_templates({ active_only: false, offset: 51 });
  t.deepEqual(
    all.templates.map(({ template_id }) => template_id),
    ['x-disabled', 'x-elsewhere', 'x-none', 'x-unserved'],
  );
  t.is((await broker.call('GET', '/templates/')).body.total_count, 55, 'REST knows no such parameter and lists all');
});

test('internal defaults: the status query is short, and only a long one that is not lightweight has the provider asked', async (t) => {
  const refreshed: string[] = [];
  const { broker } = await program();
  t.teardown(() => broker.close());
  const { store, services } = broker.broker;
  const refreshTrigger = {
    refresh: (request_id: string) => void refreshed.push(request_id),
    refreshedAt: () => undefined,
  };
  const requestQueries = new RequestQueries(store, services.clock, refreshTrigger);
  const muster = clientOver(
    localExecutor({ ...broker.broker, services: { ...services, requestQueries } }),
    async () => {},
  );
  const { request_id } = await muster.create_request({ template_id: 'small', count: 1 });
  t.false('machines' in (await muster.sync_and_get_request({ request_id })));
  t.deepEqual((await muster.sync_and_get_request({ request_id, long: true, lightweight: true })).machines, []);
  t.deepEqual(refreshed, []);
  t.deepEqual((await muster.sync_and_get_request({ request_id, long: true })).machines, []);
  t.deepEqual(refreshed, [request_id]);
});

test('timeout: a return waits 3600 seconds', async (t) => {
  const { muster, broker } = await program({ loop: 'inline', storage: 'sqlite' });
  t.teardown(() => broker.close());
  const { request_id } = await muster.create_request({ template_id: 'small', count: 1 });
  const { machines = [] } = await muster.waitFor(request_id);
  const returned = await muster.create_return_request({ machine_ids: machines.map(({ machine_id }) => machine_id) });
  const record = await broker.broker.store.get('request', { request_id: returned.request_id });
  t.is((record?.deadline_at ?? 0) - (record?.created_at ?? 0), 3_600_000);
});
