import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import test, { type ExecutionContext } from 'ava';
import { mcpServer } from '../../../host/mcp/mcp-server.ts';

/** A connection on which any message can be sent, and a count of the operations that were executed. */
async function connected(t: ExecutionContext, options: { readonly watches?: boolean } = {}) {
  const calls = { executed: 0 };
  const server = mcpServer({
    execute: async () => {
      calls.executed += 1;
      return { templates: [], count: 0 };
    },
    ...(options.watches ? { watch: async () => ({ close() {} }) as never } : {}),
  });
  const [client, served] = InMemoryTransport.createLinkedPair();
  await server.connect(served);
  await client.start();
  t.teardown(() => client.close());
  let id = 0;
  const send = (method: string, params?: unknown): Promise<any> =>
    new Promise((resolve) => {
      Object.assign(client, { onmessage: resolve });
      void client.send({ jsonrpc: '2.0', id: (id += 1), method, params } as never);
    });
  await send('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  return { send, calls };
}

const wrong: readonly (readonly [string, unknown, RegExp])[] = [
  ['tools/call', { name: 'list_templates', arguments: [] }, /\/params\/arguments: .*record/],
  ['tools/call', { name: 'list_templates', arguments: 'all' }, /\/params\/arguments: /],
  ['tools/call', { name: 7, arguments: 'all' }, /\/params\/name: .*; \/params\/arguments: /],
  ['tools/call', {}, /\/params\/name: /],
  ['tools/call', undefined, /\/params: /],
  ['resources/read', {}, /\/params\/uri: /],
  ['resources/read', { uri: null }, /\/params\/uri: /],
  ['resources/list', { cursor: 3 }, /\/params\/cursor: /],
  ['resources/subscribe', {}, /\/params\/uri: /],
  ['resources/unsubscribe', { uri: {} }, /\/params\/uri: /],
];

test('a request that is not as the protocol describes it is refused as that, with each part that is wrong', async (t) => {
  const { send, calls } = await connected(t, { watches: true });
  for (const [method, params, parts] of wrong) {
    const { error } = await send(method, params);
    t.is(error.code, -32602, JSON.stringify(error));
    t.regex(error.message, parts);
    t.true(error.message.startsWith(`The request ${method} `) && !/[\n[{]/.test(error.message), error.message);
  }
  t.is(calls.executed, 0);
  const { result } = await send('tools/call', { name: 'list_templates' });
  t.falsy(result.isError);
  t.is(calls.executed, 1);
});

test('what no server offers, and what this connection does not offer, is an unknown method', async (t) => {
  const { send } = await connected(t);
  for (const method of ['tools/cal', 'resources/subscribe', 'prompts/list', 'constructor'])
    t.is((await send(method, { uri: 'muster://requests/r-1' })).error.code, -32601, method);
  t.deepEqual((await send('ping')).result, {});
});
