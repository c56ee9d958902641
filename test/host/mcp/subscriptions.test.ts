import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import test, { type ExecutionContext } from 'ava';
import { serverClient, type OperationClient } from '../../../host/client/server-client.ts';
import { mcpServer } from '../../../host/mcp/mcp-server.ts';
import { requestWatcher, type WatchRequest } from '../../../host/mcp/sessions/request-changes.ts';
import { localExecutor } from '../../../host/sdk/local-executor.ts';
import { until } from '../../support/boot-broker.ts';
import { serveBroker, type Served } from '../hostile/serve.ts';

let server: Served;
test.before(async () => {
  server = await serveBroker({}, { loop: 'inline', knobs: { boot_ms: 500 } });
});
test.after.always(() => server.close());

const uriOf = (id: string) => `muster://requests/${id}`;

/** An agent over a connection in memory, at a broker that is reached in one way or the other. */
async function agent(t: ExecutionContext, client: OperationClient, watch?: WatchRequest) {
  const pool = {
    lease: async () => ({ client, ensureServer: async () => {}, retire() {}, release() {} }),
    close: async () => {},
  };
  const over = new AbortController();
  const execute = localExecutor(server.broker);
  const served = mcpServer(
    { execute: (operation, input) => execute(operation, input, {}), watch: watch ?? requestWatcher(pool) },
    over.signal,
  );
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await served.connect(theirs as never);
  const told: string[] = [];
  const connected = new Client({ name: 'test', version: '1' });
  connected.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
  await connected.connect(ours as never);
  t.teardown(async () => {
    over.abort();
    await connected.close();
    await client.close();
  });
  return { client: connected, told, over };
}

const order = async () =>
  (await server.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 })).body.request_id;
const atServer = () => serverClient({ url: `http://127.0.0.1:${server.port}` }, 60_000);
const inProcess = (): OperationClient => {
  const execute = localExecutor(server.broker);
  const named = (name: string) => server.broker.operations.find((each) => each.name === name) as never;
  return { call: (name, input) => execute(named(name), input, {}), close: async () => {} };
};

for (const [where, reach] of [
  ['a server', atServer],
  ['a broker in the process', inProcess],
] as const)
  test(`a client that subscribes to a request of ${where} is told of its changes until it has ended`, async (t) => {
    const { client, told } = await agent(t, reach());
    t.deepEqual(client.getServerCapabilities()?.resources, { subscribe: true });
    const id = await order();
    const other = await order();
    await client.subscribeResource({ uri: uriOf(id) });
    await client.subscribeResource({ uri: uriOf(id) });
    await until(async () => (await server.call('GET', `/requests/${id}`)).body.status === 'completed');
    await until(async () => told.length > 0);
    const { contents } = await client.readResource({ uri: uriOf(id) });
    t.regex(String((contents[0] as { text: string }).text), /"status":"completed"/);
    t.false(told.includes(uriOf(other)));
    await client.unsubscribeResource({ uri: uriOf(id) });
  });

test('what cannot be followed is refused with a reason', async (t) => {
  const { client } = await agent(t, atServer());
  await t.throwsAsync(client.subscribeResource({ uri: uriOf('req-none') }), { code: -32002 } as object);
  for (const uri of ['muster://requests', 'muster://machines/i-1', 'http://x/y', 'muster://requests/?status=failed'])
    await t.throwsAsync(client.subscribeResource({ uri }), { message: /Only single requests can be followed/ });
});

test('the subscriptions of a client are bounded, and end with its connection', async (t) => {
  const signals: AbortSignal[] = [];
  const { client, over } = await agent(t, inProcess(), async (_, signal) => {
    signals.push(signal);
    return (async function* () {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield;
    })();
  });
  for (let i = 0; i < 50; i++) await client.subscribeResource({ uri: uriOf(`req-${i}`) });
  await t.throwsAsync(client.subscribeResource({ uri: uriOf('req-50') }), { message: /50 resources are followed/ });
  await client.unsubscribeResource({ uri: uriOf('req-0') });
  t.true(signals[0]?.aborted);
  await client.subscribeResource({ uri: uriOf('req-50') });
  over.abort();
  t.true(signals.every(({ aborted }) => aborted));
});
