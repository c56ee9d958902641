import test from 'ava';
import type { Operation } from '../../../../core/operations/operation.ts';
import { operations } from '../../../../core/operations/registry.ts';
import { toolOf } from '../../../../host/mcp/tools/tool.ts';
import { toolbox } from '../../../../host/mcp/tools/toolbox.ts';
import { maskSecrets } from '../../../../host/mcp/tools/envelope.ts';
import { objectionToHost, objectionToOrigin } from '../../../../host/http/check-host-and-origin.ts';

const tools = (operations as readonly Operation<any, any>[]).map(toolOf);
/** What a client assumes of a tool without a hint. */
const assumed = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
const named = (hint: keyof typeof assumed) =>
  tools
    .filter(({ annotations }) => annotations?.[hint] ?? assumed[hint])
    .filter(({ annotations }) => hint !== 'destructiveHint' || !annotations?.readOnlyHint)
    .map(({ name }) => name);

test('annotations say which tools change something, destroy something, may be repeated, or make a cloud act', (t) => {
  const queries: readonly string[] = operations.filter(({ kind }) => kind === 'query').map(({ name }) => name);
  t.deepEqual(named('readOnlyHint'), queries);
  t.deepEqual(named('destructiveHint'), [
    'delete_template',
    'create_return_request',
    'cancel_request',
    'complete_request',
    'update_request_status',
    'populate_machine_ids',
    'cleanup_old_requests',
    'cleanup_terminated_machines',
    'cleanup_all_resources',
    'end_orphans',
  ]);
  t.deepEqual(named('idempotentHint'), [
    'update_template',
    'delete_template',
    'refresh_templates',
    'cancel_request',
    'sync_request',
    'complete_request',
    'update_request_status',
    'populate_machine_ids',
    'hold_machines',
    'cleanup_old_requests',
    'cleanup_terminated_machines',
    'end_orphans',
    'check_provider',
  ]);
  t.deepEqual(named('openWorldHint'), [
    'create_request',
    'create_selected_request',
    'create_return_request',
    'cancel_request',
    'sync_request',
    'complete_request',
    'update_request_status',
    'populate_machine_ids',
    'extend_machines',
    'hold_machines',
    'cleanup_all_resources',
    'end_orphans',
  ]);
});

test('an agent reads the list of all tools at little cost, and nothing that it cannot see', (t) => {
  t.true(JSON.stringify({ tools }).length <= 35_000);
  for (const tool of tools) {
    t.notRegex(JSON.stringify(tool), /\bheader|\bX-|Also written|query string/i, tool.name);
    t.false('outputSchema' in tool, tool.name);
  }
});

test('an agent that queries a request gets its machines by default', async (t) => {
  const schema = tools.find(({ name }) => name === 'sync_and_get_request')?.inputSchema.properties?.['long'];
  t.like(schema, { default: true });
  const sent: unknown[] = [];
  const execute = async (_: unknown, input: unknown) => void sent.push(input);
  const { signal } = new AbortController();
  for (const more of [{}, { long: false }])
    await toolbox(false).call('sync_and_get_request', { request_id: 'req-1', ...more }, execute, signal);
  await toolbox(false).call('list_templates', {}, execute, signal);
  t.deepEqual(sent, [{ long: true, request_id: 'req-1' }, { request_id: 'req-1', long: false }, {}]);
});

test('inputs are the JSON Schema of the operation, without words of our own', (t) => {
  const create = tools.find(({ name }) => name === 'create_request');
  t.deepEqual(create?.inputSchema.required, ['template_id', 'machine_count']);
  t.like(create?.inputSchema.properties?.['machine_count'], { type: 'integer', minimum: 1 });
  for (const tool of tools) {
    t.is(tool.inputSchema.type, 'object');
    t.notRegex(JSON.stringify(tool), /"(aliases|value_aliases|sensitive|~kind|patternProperties)"/, tool.name);
  }
  const made = tools.find(({ name }) => name === 'create_template')?.inputSchema;
  t.like(made?.properties?.['machine_type'], { type: 'string' }, 'the fields of a template are told');
  t.like(made?.properties?.['template_id'], { type: 'string', description: 'Unique identifier.' });
});

test('the parts of a call that an answer repeats contain no secrets', (t) => {
  const given = {
    providers: [
      {
        name: 'east',
        config: {
          secret_access_key: 'hush',
          accessKeyId: 'AKIA',
          endpoint_url: 'http://me:hush@host/x',
          session_token: null,
        },
      },
    ],
    environment_variables: { MUSTER_CLOUD_SECRET_ACCESS_KEY: 'hush', MUSTER_CLOUD_REGION: 'us-east-1' },
    key_name: 'ops',
  };
  t.deepEqual(maskSecrets(given), {
    providers: [
      {
        name: 'east',
        config: {
          secret_access_key: '***',
          accessKeyId: '***',
          endpoint_url: 'http://***@host/x',
          session_token: null,
        },
      },
    ],
    environment_variables: { MUSTER_CLOUD_SECRET_ACCESS_KEY: '***', MUSTER_CLOUD_REGION: 'us-east-1' },
    key_name: 'ops',
  });
});

for (const [host, passes] of [
  ['localhost:8001', true],
  ['127.0.0.1:8001', true],
  ['[::1]:8001', true],
  ['10.0.0.7', true],
  ['agents.example:8001', true],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['', false],
  [undefined, false],
] as const)
  test(`Host ${host} is ${passes ? 'a name of the server' : 'refused'}`, (t) => {
    t.is(objectionToHost(host, ['agents.example']) === undefined, passes);
  });

for (const [origin, passes] of [
  [undefined, true],
  ['http://localhost:8001', true],
  ['http://[::1]:8001', true],
  ['http://localhost:6274', false],
  ['http://127.0.0.1', false],
  ['https://console.example', true],
  ['http://evil.example', false],
  ['http://127.evil.example', false],
  ['http://console.example', false],
  ['null', false],
] as const)
  test(`a call with Origin ${origin} is ${passes ? 'taken' : 'refused'}`, (t) => {
    t.is(objectionToOrigin(origin, '127.0.0.1:8001', ['https://console.example']) === undefined, passes);
  });
