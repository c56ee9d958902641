import { userInfo } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { thisProgram, programHeaders } from '../../../host/http/calling-program.ts';
import { serveOnSocket } from '../../../host/http/listen-socket.ts';
import { exchange } from '../../../host/hostfactory/client/script-exchange.ts';
import { connect, createBroker } from '../../../host/sdk/index.ts';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';
import { runCli } from '../../support/run-cli.ts';
import { overHttp } from '../mcp/support.ts';

const user = userInfo().username;
const fields = { image_id: 'ami-1', provider_api: 'RunInstances', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
const order = { template_id: 'small', machine_count: 1 };

let broker: BootedBroker;
let url: string;
let socket_path: string;
test.before(async () => {
  broker = await bootBroker({
    loop: 'none',
    configuration: { server: { port: 0, actor_header: 'X-Caller', rate_limit: { enabled: false } } },
  });
  url = await broker.app.listen({ port: 0, host: '127.0.0.1' });
  socket_path = join(broker.place.directory, 's');
  const socket = await serveOnSocket(socket_path, broker.app.routing);
  broker.app.server.once('close', () => socket.close());
});
test.after.always(() => broker.close());

const latest = async () => (await broker.call('GET', '/events/?limit=1')).body.events[0];
const actor = async () => (await latest()).actor;
const made = (id: string) => ({ template_id: id, configuration: { template_id: id, ...fields } });

test.serial('each interface is named, with the user of the client where one is known', async (t) => {
  const remote = await connect({ url });
  await remote.create_request(order);
  t.deepEqual(await actor(), { interface: 'sdk', address: '127.0.0.1', user });
  const local = await connect({ socket_path });
  await local.create_request(order);
  t.deepEqual(await actor(), { interface: 'sdk', user });
  await Promise.all([remote.close(), local.close()]);

  t.is((await runCli(['requests', 'create', 'small', '1', '--url', url, '--output', 'json'])).code, 0);
  t.deepEqual(await actor(), { interface: 'cli', address: '127.0.0.1', user });

  const agent = await overHttp(`${url}/mcp`);
  await agent.call('create_request', order);
  t.like(await actor(), { interface: 'mcp', address: '127.0.0.1' });
  await agent.client.close();

  await broker.call('POST', '/hostfactory/requestMachines', {
    input: { template: { templateId: 'small', machineCount: 1 } },
    env: { dialect: 'symphony' },
  });
  t.deepEqual(await actor(), { interface: 'hostfactory', address: '127.0.0.1' });

  const embedded = await createBroker({ cwd: broker.place.directory, env: {}, loop: 'none' });
  await embedded.create_request(order);
  t.deepEqual(await actor(), { interface: 'sdk', user });
  await embedded.close();

  await broker.call('POST', '/machines/request', order);
  t.deepEqual(await actor(), { interface: 'rest', address: '127.0.0.1' });
});

test.serial('a client names no interface whose path it does not call, and no user without an interface', async (t) => {
  const says = (name: string, by?: string) =>
    broker.call('POST', '/machines/request', order, {
      'x-muster-interface': name,
      ...(by === undefined ? {} : { 'x-muster-user': by }),
    });
  for (const name of ['broker', 'hostfactory', 'rest', '__proto__', 'CLI', '']) {
    await says(name, 'root');
    t.deepEqual(await actor(), { interface: 'rest', address: '127.0.0.1' }, name);
  }
  await says('cli', encodeURIComponent('j\u00fcrgen\n\u001b[31m\u202eroot'));
  t.deepEqual(await actor(), { interface: 'cli', address: '127.0.0.1', user: 'j\u00fcrgen[31mroot' });
  await says('cli', '%E0%A4%A');
  t.is((await actor()).user, '%E0%A4%A');
  await says('sdk', 'x'.repeat(5_000));
  t.is((await actor()).user.length, 200);
});

test.serial('the name of the gateway is believed, bounded, and one only', async (t) => {
  const called = (name: string) => broker.call('POST', '/machines/request', order, { 'x-caller': name });
  await called('alice@example.org');
  t.deepEqual(await actor(), { interface: 'rest', address: '127.0.0.1', name: 'alice@example.org' });
  // As a gateway sends UTF-8, and Node reads it.
  await called(Buffer.from('J\u00fcrgen \u2603').toString('latin1'));
  t.is((await actor()).name, 'J\u00fcrgen \u2603');
  await called(`${'n'.repeat(400)}`);
  t.regex((await actor()).name, /^n{199}…$/);
  await called(' \t ');
  t.is((await actor()).name, undefined);
  await called('a", "name": "root');
  t.is((await actor()).name, 'a", "name": "root');

  const before = await latest();
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    const { request } = process.getBuiltinModule('node:http');
    const headers = ['X-Caller', 'root', 'X-Caller', 'alice', 'content-type', 'application/json'];
    request(
      `${url}/api/v1/machines/request`,
      { method: 'POST', headers: [...headers, 'Host', new URL(url).host] },
      (got) => resolve(got.resume().statusCode),
    )
      .once('error', reject)
      .end(JSON.stringify(order));
  });
  t.is(answer, 400);
  t.is((await latest()).seq, before.seq);

  const agent = await overHttp(`${url}/mcp`, { 'x-caller': 'bob' });
  await agent.call('create_request', order);
  t.like(await actor(), { interface: 'mcp', name: 'bob' });
  await agent.client.close();
});

test.serial('changes of templates, cancels and returns have their actor too', async (t) => {
  await broker.call('POST', '/templates/', made('mine'), { 'x-caller': 'alice' });
  t.like(await latest(), { type: 'template.created', actor: { interface: 'rest', name: 'alice' } });
  const { body } = await broker.call('POST', '/machines/request', order);
  await broker.call('DELETE', `/requests/${body.request_id}`, undefined, { 'x-caller': 'alice' });
  t.like(await latest(), { type: 'request.cancel_requested', actor: { name: 'alice' } });
});

test('without `server.actor_header` no name is believed', async (t) => {
  const plain = await bootBroker({ loop: 'none', storage: 'memory' });
  t.teardown(() => plain.close());
  await plain.call('POST', '/machines/request', order, { 'x-caller': 'root', 'x-forwarded-user': 'root' });
  const { body } = await plain.call('GET', '/events/');
  t.deepEqual(body.events[0].actor, { interface: 'rest', address: '127.0.0.1' });
});

test('a script of HostFactory says who runs it', (t) => {
  t.is(typeof exchange, 'function');
  t.deepEqual(programHeaders(thisProgram('hostfactory')), {
    'x-muster-interface': 'hostfactory',
    'x-muster-user': encodeURIComponent(user),
  });
});
