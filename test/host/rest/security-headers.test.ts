import { connect } from 'node:net';
import test from 'ava';
import { securityHeaders } from '../../../host/http/security-headers.ts';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await bootBroker({ storage: 'memory', loop: 'none' });
  await broker.app.listen({ port: 0, host: '127.0.0.1' });
});
test.after.always(() => broker.close());

test('the table is what OWASP asks of the answers of a REST API, and no more', (t) => {
  t.deepEqual(
    { ...securityHeaders },
    {
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    },
  );
});

test('every answer has the security headers, refusals too, and no header that admits another origin', async (t) => {
  const calls = [
    { url: '/api/v1/templates/' },
    { url: '/api/v1/templates/none' },
    { url: '/api/v1/nothing' },
    { url: '/api/v1/requests/%ff' },
    { url: '/openapi.json' },
    { url: '/livez' },
    { url: '/metrics' },
    { method: 'POST', url: '/api/v1/machines/request', payload: '{' },
    { method: 'OPTIONS', url: '/api/v1/templates/', headers: { 'access-control-request-method': 'GET' } },
  ] as const;
  for (const each of calls) {
    const { headers } = await broker.app.inject({
      ...each,
      headers: { origin: 'https://elsewhere.example', ...('headers' in each ? each.headers : {}) },
    });
    t.like(headers, securityHeaders, each.url);
    t.deepEqual(
      Object.keys(headers).filter((name) => /^(access-control|strict-transport)/.test(name)),
      [],
      each.url,
    );
  }
});

/** What a server answers to these bytes. */
const answerTo = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const address = broker.app.server.address();
    if (address === null || typeof address === 'string') throw new Error('the server listens on a port');
    const socket = connect(address.port, '127.0.0.1', () => socket.end(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject).on('end', () => resolve(text));
  });

test('so has the answer to what is no HTTP', async (t) => {
  const answer = await answerTo('no HTTP\r\n\r\n');
  t.regex(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
  t.regex(answer, /\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  for (const [name, value] of Object.entries(securityHeaders))
    t.true(answer.includes(`\r\n${name}: ${value}\r\n`), name);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  t.is(Number(/content-length: (\d+)/.exec(head)?.[1]), Buffer.byteLength(body));
});

test('a call without a Host is refused in the form of its path, one that expects something odd is answered', async (t) => {
  const close = 'connection: close\r\n';
  t.regex(
    await answerTo(`GET /livez HTTP/1.1\r\n${close}\r\n`),
    /^HTTP\/1\.1 400 [^]*\r\n\r\n\{"detail":"The call has no Host header/,
  );
  t.regex(await answerTo(`GET /api/v1/providers/ HTTP/1.1\r\n${close}\r\n`), /\{"error":\{"code":"INVALID_REQUEST"/);
  t.regex(await answerTo('GET /livez HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  t.regex(
    await answerTo(`GET /livez HTTP/1.1\r\nhost: localhost\r\nexpect: a-miracle\r\n${close}\r\n`),
    /^HTTP\/1\.1 200 [^]*"status":"ok"/,
  );
});
