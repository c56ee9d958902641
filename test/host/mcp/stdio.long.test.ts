import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import { makeMcpPlace, overStdio, run } from './support.ts';

const message = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const hello = message(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

test('the output contains only the protocol, whatever a plugin prints; calls before the end of the input are answered', async (t) => {
  const place = await makeMcpPlace({
    configuration: {
      plugins: [
        'cloud',
        'cloud-runinstances',
        'default-format',
        'hostfactory-format',
        'storage-sqlite',
        './noisy.mjs',
      ],
    },
  });
  t.teardown(place.close);
  const core = new URL('../../../core/index.ts', import.meta.url).href;
  await writeFile(
    join(place.directory, 'noisy.mjs'),
    `import { definePlugin } from '${core}'; console.log('noise'); export default definePlugin({ name: 'noisy', contract: 1 });`,
  );
  const calls = `${hello}this is no JSON\n${message(2, 'tools/call', { name: 'list_templates' })}${message(3, 'tools/call', { name: 'get_template', arguments: { template_id: 'nope' } })}`;
  const { code, stdout, stderr } = await run(place, ['mcp', 'serve'], calls);
  t.is(code, 0);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.deepEqual(answers.map(({ id }) => id).toSorted(), [1, 2, 3]);
  const [, listed] = answers.toSorted((a, b) => a.id - b.id);
  t.is(listed.result.structuredContent.data?.total_count, 2, `nothing here offers the API of the third: ${stdout}`);
  t.regex(stderr, /noise/);
  t.regex(stderr, /muster: .*JSON/);
});

test('--read-only offers queries and nothing else', async (t) => {
  const place = await makeMcpPlace();
  const agent = await overStdio(place, ['--read-only']);
  t.teardown(async () => (await agent.client.close(), place.close()));
  const { tools } = await agent.client.listTools();
  t.deepEqual(
    tools.map(({ name }) => name),
    operations.filter(({ kind }) => kind === 'query').map(({ name }) => name),
  );
  t.true((await agent.call('list_templates')).success);
  const { error } = await agent.call('create_request', { template_id: 'small', machine_count: 1 });
  t.is(error.type, 'HandlerDiscoveryError');
  t.regex(error.message, /'create_request' changes something.*--read-only/);
  t.deepEqual(place.simulator.ledger().launches, {});
  t.notRegex(agent.client.getInstructions() ?? '', /create_request/);
});

test('failures: an unknown tool, arguments with everything that is wrong, secrets masked, a configuration that is broken and mended', async (t) => {
  const place = await makeMcpPlace();
  const agent = await overStdio(place);
  t.teardown(async () => (await agent.client.close(), place.close()));
  const unknown = await agent.call('create_reqest', { count: 1 });
  t.like(unknown.error, { type: 'HandlerDiscoveryError', tool: 'create_reqest', arguments: { count: 1 } });
  t.is(unknown.error.message, "There is no tool 'create_reqest'; did you mean 'create_request'?");
  const wrong = await agent.call('create_request', { machine_count: 0, tmplate_id: 'small' });
  t.like(wrong.error, { type: 'MethodExecutionError', code: 'INVALID_REQUEST' });
  t.deepEqual(
    wrong.error.details.findings.map(({ path }: { path: string }) => path),
    ['/machine_count', '/template_id', '/tmplate_id'],
  );
  const secret = await agent.call('validate_provider_configuration', {
    providers: { config: { secret_access_key: 'hush' } },
  });
  t.like(secret.error, {
    type: 'ConfigurationError',
    arguments: { providers: { config: { secret_access_key: '***' } } },
  });
  t.notRegex(JSON.stringify(secret), /hush/);
});

test('an invalid configuration is reported at each call, until it is corrected', async (t) => {
  const place = await makeMcpPlace();
  const file = join(place.directory, 'other.json');
  await writeFile(file, '{ "schedular": "default" }');
  const agent = await overStdio(place, ['--config', file]);
  t.teardown(async () => (await agent.client.close(), place.close()));
  const { error } = await agent.call('list_templates');
  t.like(error, { type: 'ConfigurationError', code: 'INVALID_CONFIGURATION' });
  t.regex(error.message, /schedular.*scheduler/);
  await writeFile(file, '{ "scheduler": "default" }');
  t.true((await agent.call('list_templates')).success);
});

test('resources: lists with filters, single things, pages, and what is not there', async (t) => {
  const templates = Array.from({ length: 250 }, (_, n) => ({
    template_id: `t-${n}`,
    provider_api: 'RunInstances',
    image_id: 'ami-1',
  }));
  const place = await makeMcpPlace({ templates });
  const { client } = await overStdio(place);
  t.teardown(async () => (await client.close(), place.close()));
  const read = async (uri: string) =>
    JSON.parse(((await client.readResource({ uri })).contents[0] as { text: string }).text);

  const uris: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
    const { resources, nextCursor } = await client.listResources(cursor === undefined ? {} : { cursor });
    uris.push(...resources.map(({ uri }) => uri));
    cursor = nextCursor;
  }
  t.is(pages, 2);
  t.deepEqual(uris.slice(0, 4), [
    'muster://templates',
    'muster://requests',
    'muster://machines',
    'muster://providers',
  ]);
  t.is(new Set(uris).size, 4 + 250 + 1);
  t.true(uris.includes('muster://templates/t-249'));
  t.is(uris.at(-1), 'muster://providers/east');
  const { resourceTemplates } = await client.listResourceTemplates();
  for (const uri of [
    'templates/{template_id}',
    'requests/{request_id}',
    'machines/{machine_id}',
    'providers/{provider_name}',
  ])
    t.true(
      resourceTemplates.some(({ uriTemplate }) => uriTemplate === `muster://${uri}`),
      uri,
    );

  t.is((await read('muster://templates')).total_count, 250);
  t.is((await read('muster://templates?page_size=200&page=2')).templates.length, 50);
  t.is((await read('muster://templates/t-7')).template.source_info.source_file, 'templates.json');
  t.is((await read('muster://providers/east')).name, 'east');
  t.deepEqual(await read('muster://machines'), { machines: [], count: 0, total_count: 0 });
  for (const [uri, code, said] of [
    ['muster://templates/nope', -32002, /'nope'/],
    ['muster://nothing', -32002, /muster:\/\/templates/],
    ['http://templates', -32002, /There is no resource/],
    ['muster://machines?limit=many', -32602, /\/limit: must be an integer/],
    ['muster://requests?state=pending', -32602, /\/state: unknown field/],
  ] as const) {
    const error = await t.throwsAsync(client.readResource({ uri }), { message: said }, uri);
    t.is((error as unknown as { code: number }).code, code, uri);
  }
  await t.throwsAsync(client.listResources({ cursor: 'nonsense' }), { message: /'nonsense' is not a cursor/ });
});

/** A server that does this with every call, for `--url`. */
async function stub(t: ExecutionContext, answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(answer as never).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  t.teardown(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('ten thousand machines are one answer', async (t) => {
  const machines = Array.from({ length: 10_000 }, (_, n) => ({
    machine_id: `i-${String(n).padStart(17, '0')}`,
    status: 'running',
    name: `ip-10-0-0-${n}.us-east-1.compute.internal`,
    private_ip: '10.0.0.1',
    public_ip: null,
    provider_instance: 'east',
    created_at: '2026-01-01T00:00:00.000Z',
    launched_at: '2026-01-01T00:00:00.000Z',
  }));
  const url = await stub(t, (_, response) => void response.end(JSON.stringify({ request_id: 'req-1', machines })));
  const place = await makeMcpPlace();
  const agent = await overStdio(place, ['--url', url]);
  t.teardown(async () => (await agent.client.close(), place.close()));
  const { data } = await agent.call('sync_and_get_request', { request_id: 'req-1', long: true });
  t.is(data.machines.length, 10_000);
  t.deepEqual(data.machines.at(-1), machines.at(-1));
});

test('a client that cancels a call ends its wait, and other calls continue', async (t) => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const url = await stub(t, (request, response) => {
    if (!request.url?.endsWith('/refresh_templates')) return void response.end('{"templates":[]}');
    response.once('close', () => ended.resolve('the wait has ended'));
    begun.resolve();
  });
  const place = await makeMcpPlace();
  const agent = await overStdio(place, ['--url', url]);
  t.teardown(async () => (await agent.client.close(), place.close()));
  const cancel = new AbortController();
  const call = agent.client.callTool({ name: 'refresh_templates', arguments: {} }, undefined, {
    signal: cancel.signal,
  });
  const rejected = t.throwsAsync(call);
  await begun.promise;
  t.true((await agent.call('list_templates')).success);
  cancel.abort();
  await rejected;
  t.is(await Promise.race([ended.promise, sleep(5_000, 'it goes on', { ref: false })]), 'the wait has ended');
  t.true((await agent.call('list_templates')).success);
});

test('a server that is named and not there is a failure of the call', async (t) => {
  const place = await makeMcpPlace();
  const agent = await overStdio(place, ['--url', 'http://127.0.0.1:1']);
  t.teardown(async () => (await agent.client.close(), place.close()));
  const { error } = await agent.call('list_templates');
  t.like(error, { type: 'MethodExecutionError', code: 'UNAVAILABLE' });
  t.regex(error.message, /http:\/\/127\.0\.0\.1:1 cannot be reached: ECONNREFUSED/);
});
