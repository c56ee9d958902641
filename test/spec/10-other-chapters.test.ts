import test from 'ava';
import { operations } from '../../core/operations/registry.ts';
import { defaultPlugins } from '../../config/setting-defaults.ts';
import { specBroker } from './spec-broker.ts';

const named = (name: string): any => operations.find((each) => each.name === name);

/** Commands and queries of the specification that a REST route stands on. */
const classes: Readonly<Record<string, string>> = {
  CreateRequestCommand: 'create_request',
  CreateReturnRequestCommand: 'create_return_request',
  CancelRequestCommand: 'cancel_request',
  UpdateRequestStatusCommand: 'update_request_status',
  SyncRequestCommand: 'sync_request',
  CleanupOldRequestsCommand: 'cleanup_old_requests',
  CleanupAllResourcesCommand: 'cleanup_all_resources',
  CleanupTerminatedMachinesCommand: 'cleanup_terminated_machines',
  CompleteRequestCommand: 'complete_request',
  PopulateMachineIdsCommand: 'populate_machine_ids',
  CreateTemplateCommand: 'create_template',
  UpdateTemplateCommand: 'update_template',
  DeleteTemplateCommand: 'delete_template',
  SyncAndGetRequestQuery: 'sync_and_get_request',
  ListActiveRequestsQuery: 'list_active_requests',
  SyncAndListReturnRequestsQuery: 'sync_and_list_return_requests',
  GetTemplateQuery: 'get_template',
  ListTemplatesQuery: 'list_templates',
  ValidateTemplateQuery: 'validate_template',
  GetMachineQuery: 'get_machine',
  ListMachinesQuery: 'list_machines',
  GetActiveMachineCountQuery: 'get_active_machine_count',
  GetConfigurationQuery: 'get_configuration',
  GetRequestSummaryQuery: 'get_request_summary',
  GetMachineHealthQuery: 'get_machine_health',
};
for (const [class_name, name] of Object.entries(classes)) {
  test(`other interfaces: ${class_name} is ${name}, the class name without its suffix`, (t) => {
    t.like(named(name), { class_name, kind: class_name.endsWith('Command') ? 'command' : 'query' });
  });
}

test('other interfaces: the create command takes timeout, tags and an id made by the caller, the return command force_return and timeout', (t) => {
  t.true(['timeout', 'tags', 'request_id'].every((name) => name in named('create_request').input.properties));
  t.is(named('create_return_request').input.properties.force_return.default, false);
  t.true('timeout' in named('create_return_request').input.properties);
});

test('other interfaces: creating a template takes template_id, image_id and provider_api, description and configuration', (t) => {
  const { input } = named('create_template');
  t.deepEqual(input.required, ['template_id', 'image_id', 'provider_api']);
  t.true(['description', 'configuration'].every((name) => name in input.properties));
});

test('other interfaces: the status query is short by default, cancelling takes request_id and reason', (t) => {
  t.is(named('sync_and_get_request').input.properties.long.default, false);
  t.deepEqual(Object.keys(named('cancel_request').input.properties), ['request_id', 'reason']);
});

test('other interfaces: clean-up is for what is older than a day, clean-up of all leaves pending requests', (t) => {
  t.is(named('cleanup_old_requests').input.properties.older_than_days.default, 1);
  t.is(named('cleanup_all_resources').input.properties.include_pending.default, false);
});

test('timeout: 3600 seconds by default, on requests and returns', async (t) => {
  const broker = await specBroker({
    templates: [
      { template_id: 'patient', image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'], timeout: 60 },
      { template_id: 'plain', image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] },
    ],
  });
  t.teardown(() => broker.close());
  const patience = async (template_id: string) => {
    const { body } = await broker.call('POST', '/machines/request', { template_id, machine_count: 1 });
    const request = await broker.broker.store.get('request', { request_id: body.request_id });
    return ((request?.deadline_at ?? 0) - (request?.created_at ?? 0)) / 1000;
  };
  t.is(await patience('plain'), 3600);
  t.is(await patience('patient'), 60, "the template's own");
});

test('authentication: no call needs credentials, and what a client sends as such is not looked at', async (t) => {
  const broker = await specBroker();
  t.teardown(() => broker.close());
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { 'x-api-key': 'wrong' }])
    t.is((await broker.call('GET', '/templates/', undefined, headers)).status, 200);
});

test('authentication: provider credentials are fields of the configuration, and no answer shows them', async (t) => {
  const hidden = { access_key_id: 'AKIAHIDDEN', secret_access_key: 'hush-secret', session_token: 'hush-token' };
  const broker = await specBroker({
    configuration: {
      providers: [
        { name: 'east', type: 'cloud', config: { ...hidden, profile: 'p', role_arn: 'r', credential_file: '/c' } },
      ],
    },
  });
  t.teardown(() => broker.close());
  const answers = [
    await broker.call('GET', '/providers/'),
    await broker.call('GET', '/providers/east'),
    await broker.call('POST', '/providers/validate', {
      providers: [{ name: 'x', type: 'cloud', config: { ...hidden, region: 5 } }],
    }),
    await broker.call('POST', '/providers/validate-env', {
      provider_type: 'cloud',
      environment_variables: { MUSTER_CLOUD_SECRET_ACCESS_KEY: 'hush-secret' },
    }),
  ];
  for (const { body } of answers) t.notRegex(JSON.stringify(body), /hush|AKIAHIDDEN/);
  t.like(answers[1]?.body.configuration, { access_key_id: '***', profile: 'p', role_arn: 'r', credential_file: '/c' });
});

test('authentication: a misspelt secret is masked as well', async (t) => {
  const broker = await specBroker({
    configuration: {
      providers: [
        { name: 'east', type: 'cloud', config: { secret_acces_key: 'hush', apiToken: 'hush', note: 'shown' } },
      ],
    },
  });
  t.teardown(() => broker.close());
  const { body } = await broker.call('GET', '/providers/east');
  t.like(body.configuration, { secret_acces_key: '***', apiToken: '***', note: 'shown' });
});

test('authentication: so is a secret inside an unknown field, and a secret in a URL', async (t) => {
  const config = {
    vault: { api_password: 'hush', list: [{ accessKey: 'hush' }, 'shown'], tokens: ['hush'], note: 'shown' },
    endpoint_url: 'http://me:hush@127.0.0.1:9/path',
    proxy_host: 'me:hush@proxy.example',
  };
  const broker = await specBroker({ configuration: { providers: [{ name: 'east', type: 'cloud', config }] } });
  t.teardown(() => broker.close());
  const answers = [
    await broker.call('GET', '/providers/east'),
    await broker.call('POST', '/operations/get_configuration', {}),
  ];
  for (const { body } of answers) t.notRegex(JSON.stringify(body), /hush/);
  t.like(answers[0]?.body.configuration, {
    vault: { api_password: '***', list: [{ accessKey: '***' }, 'shown'], tokens: '***', note: 'shown' },
    endpoint_url: 'http://***@127.0.0.1:9/path',
    proxy_host: '***@proxy.example',
  });
});

test('versioning: the API has its version in the path, and no other version is there', async (t) => {
  const broker = await specBroker();
  t.teardown(() => broker.close());
  t.is((await broker.app.inject('/api/v1/templates/')).statusCode, 200);
  t.is((await broker.app.inject('/api/v2/templates/')).statusCode, 404);
  t.is((await broker.app.inject('/api/templates/')).statusCode, 404);
});

test('versioning: templates have version 1.0 unless they say another', async (t) => {
  const broker = await specBroker({ templates: [{ template_id: 'a' }, { template_id: 'b', version: '3.2' }] });
  t.teardown(() => broker.close());
  const { templates } = (await broker.call('GET', '/templates/')).body;
  t.deepEqual(
    templates.map((each: any) => each.version),
    ['1.0', '3.2'],
  );
});

test('schedulers: default and hostfactory come with the service', (t) => {
  t.true(['default-format', 'hostfactory-format'].every((name) => defaultPlugins.includes(name)));
});
