import { createRequire } from 'node:module';
import test from 'ava';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

let broker: BootedBroker;
let early: readonly string[];

/** Which of the large libraries this process has loaded. */
const loaded = () =>
  ['swagger-ui', 'swagger', 'static', 'helmet'].filter((name) =>
    Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes(`/@fastify/${name}/`)),
  );

test.before(async () => {
  broker = await bootBroker({ storage: 'memory', loop: 'none' });
  await broker.app.inject('/openapi.json');
  early = loaded();
});
test.after.always(() => broker?.close());

test('the files of the pages are loaded at the first request for a page', async (t) => {
  await broker.app.inject('/docs');
  t.deepEqual(early, []);
  t.is(loaded().length, 4);
});

test('the pages carry a policy of their own, the id of the call, and no header that lets others in', async (t) => {
  for (const path of ['/docs', '/docs/static/swagger-ui.css', '/redoc', '/redoc/start.js', '/docs/nothing']) {
    const { headers } = await broker.app.inject({ url: path, headers: { 'x-request-id': 'call-7' } });
    t.is(headers['x-request-id'], 'call-7', path);
    t.regex(
      String(headers['content-security-policy']),
      /^default-src 'self';script-src 'self';style-src 'self'( 'nonce-[\w+/=]+')?;/,
    );
    t.notRegex(String(headers['content-security-policy']), /unsafe|https:|\*/);
    t.like(headers, {
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-permitted-cross-domain-policies': 'none',
    });
    t.deepEqual(
      Object.keys(headers).filter((name) => /^(access-control|strict-transport|x-ratelimit)/.test(name)),
      [],
    );
  }
  const nonce = async () =>
    /'nonce-(.*?)'/.exec(String((await broker.app.inject('/redoc')).headers['content-security-policy']))?.[1];
  t.not(await nonce(), await nonce());
  const missing = await broker.app.inject('/redoc/nothing');
  t.is(missing.statusCode, 404);
  t.deepEqual(Object.keys(missing.json()), ['detail', 'code']);
  t.is((await broker.app.inject({ method: 'POST', url: '/docs' })).statusCode, 405);
});
