import test from 'ava';
import { startBroker, testTemplates } from '../../support/boot-broker.ts';
import { makeMcpPlace, overHttp, run, serveHttp } from './support.ts';

const { request } = process.getBuiltinModule('node:http');

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** A call with any headers: fetch would not let the caller choose Host and Origin. */
function post(url: string, headers: Readonly<Record<string, string>>, body: unknown = hello, method = 'POST') {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return new Promise<{ readonly status: number; readonly text: string; readonly session: string | undefined }>(
    (resolve, reject) => {
      const call = request(url, { method, headers: all }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text,
            session: response.headers['mcp-session-id'] as string | undefined,
          }),
        );
      });
      call.once('error', reject).end(method === 'POST' ? JSON.stringify(body) : undefined);
    },
  );
}

test('a page of another site is refused, and so is a host name that is not the server’s', async (t) => {
  const place = await makeMcpPlace();
  const serving = await serveHttp(place, [
    '--allow-host',
    'agents.example',
    '--allow-origin',
    'https://console.example',
  ]);
  t.teardown(async () => (await serving.stop(), place.close()));
  for (const [headers, status] of [
    [{}, 200],
    [{ host: 'agents.example' }, 200],
    [{ host: 'evil.example' }, 403],
    [{ origin: 'https://console.example' }, 200],
    [{ origin: 'http://evil.example' }, 403],
    [{ host: 'agents.example', origin: 'http://agents.example' }, 403],
  ] as const) {
    const answer = await post(serving.url, headers);
    t.is(answer.status, status, JSON.stringify(headers));
    if (status === 403) t.regex(JSON.parse(answer.text).error.message, /evil\.example|agents\.example/);
  }
  t.is((await post(serving.url.replace('/mcp', '/other'), {})).status, 404);
});

test('sessions: one that is not known, one that is ended, and calls without one', async (t) => {
  const place = await makeMcpPlace();
  const serving = await serveHttp(place, ['--read-only']);
  t.teardown(async () => (await serving.stop(), place.close()));
  const { session = '' } = await post(serving.url, {});
  t.regex(session, /^[0-9a-f-]{36}$/);
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  t.is((await post(serving.url, { 'mcp-session-id': session }, ping)).status, 200);
  t.is((await post(serving.url, { 'mcp-session-id': 'nonsense' }, ping)).status, 404);
  t.is((await post(serving.url, {}, ping)).status, 400);
  t.is((await post(serving.url, { 'mcp-session-id': session }, undefined, 'DELETE')).status, 200);
  t.is((await post(serving.url, { 'mcp-session-id': session }, ping)).status, 404);
  // Two at once, each with its own.
  const agents = await Promise.all([overHttp(serving.url), overHttp(serving.url)]);
  const counts = await Promise.all(
    agents.map(async ({ client, call }) => [(await call('list_templates')).data.count, await client.close()]),
  );
  t.deepEqual(counts, [
    [3, undefined],
    [3, undefined],
  ]);
  t.is(await serving.stop(), 0, 'a signal ends it in order');
});

test('at the server itself: pages are refused, calls count against its limits, sessions are not needed', async (t) => {
  const place = await makeMcpPlace({ configuration: { server: { port: 0, rate_limit: { template: 2 } } } });
  const server = await startBroker({ place });
  t.teardown(async () => (await server.stop(), place.close()));
  const url = `${server.url}/mcp`;
  t.is((await post(url, { origin: 'http://evil.example' })).status, 403);
  t.is((await post(url, {}, undefined, 'GET')).status, 405);
  t.is((await post(url, {}, '{')).status, 400);
  const call = async () => {
    const { status, text } = await post(
      url,
      {},
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_templates' } },
    );
    t.is(status, 200);
    return JSON.parse(text).result.structuredContent;
  };
  t.true((await call()).success);
  t.true((await call()).success);
  t.is((await call()).error.code, 'RATE_LIMITED');
});

for (const where of ['at the server itself', 'by itself'] as const)
  test(`${where}: the messages of one call are answered one after another, until the answer reaches its maximum size`, async (t) => {
    const large = Array.from({ length: 8 }, (_, i) => ({
      ...testTemplates[0],
      template_id: `t-${i}`,
      user_data: 'x'.repeat(200_000),
    }));
    const place = await makeMcpPlace({ templates: large });
    const server = where === 'by itself' ? await serveHttp(place, []) : await startBroker({ place });
    t.teardown(async () => (await server.stop(), place.close()));
    const url = where === 'by itself' ? server.url : `${server.url}/mcp`;
    const { session } = await post(url, {}, hello);
    const ask = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'list_templates', arguments: { limit: 1_000 } },
    });
    const { status, text } = await post(
      url,
      session ? { 'mcp-session-id': session } : {},
      Array.from({ length: 50 }, (_, i) => ask(i)),
    );
    t.is(status, 200);
    const answers = JSON.parse(text) as readonly {
      readonly id: number;
      readonly result?: object;
      readonly error?: { readonly message: string };
    }[];
    t.deepEqual(
      answers.map(({ id }) => id),
      Array.from({ length: 50 }, (_, i) => i),
    );
    const served = answers.filter(({ result }) => result);
    t.true(served.length >= 1 && served.length < 5, `${served.length} were answered`);
    t.true(text.length < 20_000_000, String(text.length));
    t.regex(answers.at(-1)?.error?.message ?? '', /^Nothing was done: .* send this message alone\.$/);
    const alone = await post(url, session ? { 'mcp-session-id': session } : {}, ask(1));
    t.is(JSON.parse(alone.text).result.structuredContent.data.count, 8);
  });

test('the command line says what is wrong with it', async (t) => {
  const place = await makeMcpPlace();
  t.teardown(place.close);
  for (const [args, said] of [
    [['--port', '1'], /--port needs --http/],
    [['--allow-host', 'x'], /--allow-host needs --http/],
    [['--http', '--allow-origin', 'console.example'], /must be an origin/],
    [['--readonly'], /--read-only/],
  ] as const) {
    const { code, stdout, stderr } = await run(place, ['mcp', 'serve', ...args]);
    t.deepEqual([code, stdout], [2, ''], args.join(' '));
    t.regex(stderr, said);
  }
});
