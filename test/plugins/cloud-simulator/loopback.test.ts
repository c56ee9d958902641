import { request } from 'node:http';
import test from 'ava';
import {
  checkListenHost,
  isLoopbackHost,
  isLoopbackOrigin,
} from '../../../plugins/cloud-simulator/server/loopback.ts';
import { createSimulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { openCloud } from './support.ts';

const hosts: readonly [host: string | undefined, loopback: boolean][] = [
  ['127.0.0.1:4566', true],
  ['127.0.0.1', true],
  ['127.8.9.10:80', true],
  ['[::1]:4566', true],
  ['localhost:4566', true],
  ['LOCALHOST', true],
  ['localhost.:80', true],
  ['ec2.us-east-1.localhost:4566', true],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['notlocalhost', false],
  ['127.0.0.1.evil.example', false],
  ['127.evil.example:4566', false],
  ['127.0.0.999', false],
  ['0.0.0.0:4566', false],
  ['[::]:4566', false],
  ['10.0.0.1', false],
  ['', false],
  [undefined, false],
];
for (const [host, loopback] of hosts) {
  test(`the host ${host} ${loopback ? 'is' : 'is not'} this computer by loopback`, (t) => {
    t.is(isLoopbackHost(host), loopback);
    if (host !== undefined) t.is(isLoopbackOrigin(`http://${host}`), loopback);
  });
}

test('a page that says no origin, or an opaque one, is not from loopback; no page at all is', (t) => {
  t.false(isLoopbackOrigin('null'));
  t.false(isLoopbackOrigin(''));
  t.false(isLoopbackOrigin('file://localhost'));
  t.true(isLoopbackOrigin('https://localhost:3000'));
  t.true(isLoopbackOrigin(undefined));
});

for (const host of ['0.0.0.0', '::', '', '10.0.0.1', '192.168.1.2', 'example.com', '127.evil.example']) {
  test(`it does not listen on '${host}', and says why`, async (t) => {
    const simulator = createSimulator();
    await t.throwsAsync(simulator.listen(0, host), { message: /listens on loopback only .* control routes/ });
    t.is(simulator.url, '');
  });
}

test('it listens on the loopback address that is named', async (t) => {
  for (const host of ['127.0.0.1', '127.0.0.2', 'localhost']) {
    t.notThrows(() => checkListenHost(host));
    const simulator = createSimulator();
    t.is(await simulator.listen(0, host), simulator.url);
    t.is(new URL(simulator.url).hostname, host);
    t.is((await fetch(`${simulator.url}/_sim/health`)).status, 200);
    await simulator.close();
  }
});

const authorization =
  'AWS4-HMAC-SHA256 Credential=AKIATEST0001/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0';

test('with a foreign Host header it answers neither calls nor control routes', async (t) => {
  const { simulator } = await openCloud(t);
  const call = {
    path: '/?Action=DescribeRegions&Version=2016-11-15',
    headers: { host: 'evil.example', authorization },
  };
  const refused = await ask(simulator.url, call);
  t.is(refused.status, 403);
  t.regex(
    refused.text,
    /<Code>AccessDenied<\/Code><Message>The simulated cloud answers on loopback only: .*evil\.example/,
  );
  const control = await ask(simulator.url, {
    path: '/_sim/reset',
    method: 'POST',
    headers: { host: 'evil.example:4566' },
  });
  t.is(control.status, 403);
  t.regex(control.text, /"error":"The simulated cloud answers on loopback only/);
  t.deepEqual(simulator.audit(), []);
  t.is((await ask(simulator.url, { ...call, headers: { host: 'ec2.localhost:1', authorization } })).status, 200);
});

test('control routes refuse web pages of other origins', async (t) => {
  const { simulator } = await openCloud(t);
  const turn = (origin: string | undefined) =>
    ask(simulator.url, {
      path: '/_sim/knobs',
      method: 'POST',
      headers: origin === undefined ? {} : { origin, 'content-type': 'text/plain' },
      body: '{"boot_ms":7}',
    });
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
    const refused = await turn(origin);
    t.is(refused.status, 403);
    t.true(refused.text.includes(origin));
  }
  t.is(simulator.knobs.boot_ms, 2000);
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1', undefined])
    t.is((await turn(origin)).status, 200);
  t.is(simulator.knobs.boot_ms, 7);
});

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

// fetch sets the host by itself.
function ask(
  url: string,
  { path, method = 'GET', headers, body }: Asked,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url + path, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    call.on('error', reject);
    call.end(body);
  });
}
