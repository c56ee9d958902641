import { once } from 'node:events';
import { Agent, createServer, request, type RequestListener, type Server } from 'node:http';
import { Agent as SecureAgent, createServer as createSecureServer, request as secureRequest } from 'node:https';
import { connect, createServer as createPlainServer, type AddressInfo, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { ClaimLost, type ProviderFault } from '../../../core/index.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { fenced, sendFenced } from '../../../plugins/cloud/connection/fenced-connections.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { contextOf, quietCall, stage } from './support.ts';

/** A slow computer may take long for twenty connections at once. */
const options = { connect_ms: 60_000, tunnels: false };
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

async function listening<S extends Server>(t: ExecutionContext, server: S): Promise<S> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** The port of a proxy that opens tunnels to a port of this machine, whatever host is asked for. */
async function tunnelProxy(t: ExecutionContext): Promise<number> {
  const sockets: Socket[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, client: Socket) => {
    const [, port = ''] = url.split(':');
    const server = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    for (const each of [client, server]) sockets.push(each.on('error', () => undefined));
  });
  await listening(t, proxy);
  t.teardown(() => sockets.forEach((each) => each.destroy()));
  return portOf(proxy);
}

/** The ways to a server that counts what it was asked, and answers. */
const ways: Readonly<Record<string, (t: ExecutionContext, asked: RequestListener) => Promise<() => Promise<string>>>> =
  {
    async plain(t, asked) {
      const port = portOf(await listening(t, createServer(asked)));
      const agent = fenced(new Agent(), options);
      return () => answer(request({ host: '127.0.0.1', port, agent, method: 'POST' }));
    },
    async 'with TLS'(t, asked) {
      const port = portOf(await listening(t, createSecureServer(selfSigned, asked)));
      const agent = fenced(new SecureAgent({ rejectUnauthorized: false }), options);
      return () => answer(secureRequest({ host: 'localhost', port, agent, method: 'POST' }));
    },
    async 'through a proxy'(t, asked) {
      const port = portOf(await listening(t, createServer(asked)));
      const proxyEnv = { HTTP_PROXY: `http://127.0.0.1:${port}` };
      const agent = fenced(new Agent({ proxyEnv }), options);
      return () => answer(request({ host: 'elsewhere.example', agent, method: 'POST' }));
    },
    async 'with TLS, through a proxy'(t, asked) {
      const port = portOf(await listening(t, createSecureServer(selfSigned, asked)));
      const proxy = await tunnelProxy(t);
      const proxyEnv = { HTTPS_PROXY: `http://127.0.0.1:${proxy}` };
      const agent = fenced(new SecureAgent({ proxyEnv, rejectUnauthorized: false }), { ...options, tunnels: true });
      return () => answer(secureRequest({ host: 'localhost', port, agent, method: 'POST' }));
    },
  };

async function answer(asking: ReturnType<typeof request>): Promise<string> {
  asking.end('a call');
  const [response] = (await once(asking, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const part of response) text += String(part);
  return text;
}

for (const [name, open] of Object.entries(ways)) {
  test(`${name}: each call is fenced once, when its connection stands`, async (t) => {
    const send = await open(t, (_, response) => void response.end('done'));
    let fences = 0;
    const all = await Promise.all(Array.from({ length: 20 }, () => sendFenced(() => void (fences += 1), send)));
    t.deepEqual(new Set(all), new Set(['done']));
    t.is(fences, 20);
  });

  test(`${name}: a call whose fence throws is not sent, and fails with that error`, async (t) => {
    let asked = 0;
    const send = await open(t, (_, response) => {
      asked += 1;
      response.end('done');
    });
    const lost = new ClaimLost('req-1');
    const refused = () => {
      throw lost;
    };
    const [error, beside] = await Promise.all([
      t.throwsAsync(sendFenced(refused, send)),
      sendFenced(() => undefined, send),
    ]);
    t.is(error as unknown, lost);
    t.is(beside, 'done');
    t.is(asked, 1);
  });
}

test('a call without a fence is not sent', async (t) => {
  let asked = 0;
  const send = await ways['plain']!(t, () => void (asked += 1));
  await t.throwsAsync(send(), { message: /has no fence/ });
  t.is(asked, 0);
});

test('a connection that is refused or closed fails the call', async (t) => {
  const closing = createPlainServer((socket) => socket.destroy());
  closing.listen(0, '127.0.0.1');
  await once(closing, 'listening');
  const port = portOf(closing);
  const ask = () =>
    sendFenced(
      () => undefined,
      () =>
        answer(secureRequest({ host: '127.0.0.1', port, agent: fenced(new SecureAgent(), options), method: 'POST' })),
    );
  await t.throwsAsync(ask(), { code: 'ECONNRESET' });
  closing.close();
  await once(closing, 'close');
  await t.throwsAsync(ask(), { code: 'ECONNREFUSED' });
});

test('a connection that does not stand in time is given up', async (t) => {
  const silent = createPlainServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const agent = fenced(new SecureAgent(), { connect_ms: 50, tunnels: false });
  const asking = answer(secureRequest({ host: '127.0.0.1', port: portOf(silent), agent, method: 'POST' }));
  await t.throwsAsync(asking, { message: /closed before it was established/ });
});

test('a call whose connection breaks before it stands was certainly not executed', async (t) => {
  const closing = createPlainServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(closing, 'listening');
  t.teardown(() => closing.close());
  const keys = { access_key_id: 'AKIATEST000000000000', secret_access_key: 'a-secret-that-nobody-sees' };
  const session = await cloud.connect({ endpoint_url: `https://127.0.0.1:${portOf(closing)}`, ...keys }, contextOf());
  t.teardown(() => cloud.close?.(session));
  const run = session.write(
    (ec2) => new ec2.RunInstancesCommand({ ImageId: 'ami-1', MinCount: 1, MaxCount: 1 }),
    quietCall(),
  );
  const fault = await t.throwsAsync<ProviderFault>(run);
  t.is(fault?.kind, 'unavailable');
});

test('a process that loses its claim while a call opens its connection does not make the call', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  let fences = 0;
  const call = {
    ...quietCall(),
    fence() {
      fences += 1;
      // The first one stands before the connection.
      if (fences > 1) throw new ClaimLost('req-1');
    },
  };
  const run = () =>
    there.session.write((ec2) => new ec2.RunInstancesCommand({ ImageId: 'ami-1', MinCount: 1, MaxCount: 1 }), call);
  await t.throwsAsync(run(), { instanceOf: ClaimLost });
  t.is(fences, 2);
  t.is(there.calls('RunInstances'), 0);
});
