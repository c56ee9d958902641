import { mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { callChecks } from '../../../host/rest/call/call-checks.ts';
import { bootBroker } from '../../support/boot-broker.ts';
import { serveBroker, type Served } from './serve.ts';
import { talk } from './wire.ts';

const call = (host: string, more = '', target = '/api/v1/templates/') =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
const statusOf = async ({ port }: Served, bytes: string) => (await talk(port, bytes)).answers[0]?.status;

test('on a loopback address the server accepts its own names alone: a page under a rebound name reads nothing', async (t) => {
  const server = await serveBroker();
  t.teardown(() => server.close());
  for (const host of [
    'localhost',
    'LOCALHOST:8000',
    '127.0.0.1',
    '127.0.0.1:1',
    '[::1]:8000',
    '10.1.2.3',
    hostname(),
    'a.localhost',
  ])
    t.is(await statusOf(server, call(host)), 200, host);
  for (const host of [
    'evil.example',
    'evil.example:8000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost.',
    'muster:8000',
    'wpad',
    'localhos',
  ])
    t.is(await statusOf(server, call(host)), 403, host);
  t.is(await statusOf(server, call('localhost', '', 'http://evil.example/api/v1/templates/')), 403);
  const [answer] = (await talk(server.port, call('evil.example'))).answers;
  t.is(
    JSON.parse(answer?.body ?? '').detail,
    "Host 'evil.example' is not a name of this server; server.allowed_hosts adds a name.",
  );
});

test('only pages of this host may call: a page of another origin can do nothing, also without a preflight', async (t) => {
  const server = await serveBroker();
  t.teardown(() => server.close());
  // What a form of any page can send: no body, and no type that needs leave.
  const form = (origin: string, method = 'POST') =>
    `${method} /api/v1/operations/cleanup_old_requests HTTP/1.1\r\nHost: localhost:8000\r\nOrigin: ${origin}\r\nContent-Length: 0\r\n\r\n`;
  for (const origin of ['http://localhost:8000', 'http://127.0.0.1:8000', 'http://[::1]:8000'])
    t.is(await statusOf(server, form(origin)), 200, origin);
  for (const origin of [
    'http://evil.example',
    'http://localhost:3000',
    'null',
    'http://localhost.evil.example',
    'file://',
    'http://10.1.2.3',
  ])
    t.is(await statusOf(server, form(origin)), 403, origin);
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    t.is(await statusOf(server, form('http://evil.example', method)), 403, method);
  // Nor may it ask: what is worked out for it costs everybody, though its browser does not show it the answer.
  const [answer] = (await talk(server.port, call('localhost', 'Origin: http://evil.example\r\n'))).answers;
  t.is(answer?.status, 403);
  t.notRegex(answer?.head ?? '', /access-control/i);
});

test('the name of a gateway on the same machine is allowed by server.allowed_hosts, and so are its pages', async (t) => {
  const server = await serveBroker({ allowed_hosts: ['Broker.example.org'] });
  t.teardown(() => server.close());
  t.is(await statusOf(server, call('broker.example.org:443')), 200);
  t.is(await statusOf(server, call('broker.example.com')), 403);
  const put = (origin: string) =>
    `PUT /api/v1/templates/ HTTP/1.1\r\nHost: broker.example.org\r\nOrigin: ${origin}\r\n\r\n`;
  t.is(await statusOf(server, put('https://broker.example.org')), 405);
  t.is(await statusOf(server, put('https://broker.example.org:8443')), 405);
  t.is(await statusOf(server, put('https://broker.example.com')), 403);
});

test('every address of loopback is one, and no other is; what counts is the address that is listened on, not its name', (t) => {
  const call = {
    url: '/',
    method: 'GET',
    httpVersion: '1.1',
    rawHeaders: [],
    headers: { host: 'evil.example' },
  } as unknown as IncomingMessage;
  const refuses = (host: string, bound?: string) =>
    callChecks({ host, trust_proxy: false, allowed_hosts: [] }, () => bound)(call) !== undefined;
  for (const host of ['localhost', '127.0.0.1', '127.8.9.1', '::1']) t.true(refuses(host), host);
  for (const host of ['0.0.0.0', '::', '10.1.2.3', 'broker.example.org']) t.false(refuses(host), host);
  // The name of the host stands for a loopback address on many systems.
  for (const bound of ['127.0.1.1', '::1', '::ffff:127.0.0.1']) t.true(refuses('vm', bound), bound);
  t.false(refuses('vm', '10.1.2.3'));
});

test('a trusted gateway may forward any name, and so may every caller of an address that is not loopback', async (t) => {
  const trusting = await serveBroker({ trust_proxy: true });
  t.teardown(() => trusting.close());
  t.is(await statusOf(trusting, call('any.example', 'Origin: https://any.example\r\n')), 200);
  const open = await serveBroker({ host: '0.0.0.0' });
  t.teardown(() => open.close());
  t.is(await statusOf(open, call('any.example')), 200);
});

test('on the Unix socket a name says nothing: only the owner reaches it', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-names-'));
  const socketPath = join(directory, 'a.sock');
  const server = await serveBroker({}, { socket_path: socketPath });
  t.teardown(() => server.close());
  const status = await new Promise((resolve, reject) => {
    request({ socketPath, path: '/livez', headers: { host: 'any.example' } }, (answer) => resolve(answer.statusCode))
      .on('error', reject)
      .end();
  });
  t.is(status, 200);
  await rm(directory, { recursive: true });
});

test('a server that listens on loopback requires its own names, by the address on which it listens and not by the configured name', async (t) => {
  const { app, close } = await bootBroker({
    storage: 'memory',
    loop: 'none',
    configuration: { server: { host: 'vm', port: 0 } },
  });
  t.teardown(close);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const status = async (host: string) => (await talk(port, call(host, '', '/livez'))).answers[0]?.status;
  t.is(await status('evil.example'), 403);
  t.is(await status('vm:8000'), 200);
});
