import { gzipSync } from 'node:zlib';
import test from 'ava';
import { BrokerError } from '../../../core/contract/errors.ts';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await bootBroker({ storage: 'memory', loop: 'none' });
});
test.after.always(() => broker.close());

test('an unknown path is 404 with a detail, also outside the API', async (t) => {
  const inside = await broker.call('GET', '/nothing');
  t.is(inside.status, 404);
  t.deepEqual(inside.body, { detail: 'No route serves GET /api/v1/nothing.', code: 'NOT_FOUND' });
  const outside = await broker.app.inject('/templates/');
  t.is(outside.statusCode, 404);
  t.regex(outside.json().detail, /The API is below \/api\/v1\./);
});

test('a wrong method is 405 and says which ones are served', async (t) => {
  const answer = await broker.call('DELETE', '/templates/');
  t.is(answer.status, 405);
  t.regex(answer.headers['allow'] ?? '', /GET/);
  t.deepEqual(Object.keys(answer.body), ['detail', 'code']);
  t.is((await broker.call('PUT', '/machines/request', {})).status, 405);
  const get = await broker.call('GET', '/machines/request');
  t.is(get.status, 405);
  t.is(get.headers['allow'], 'POST');
  t.is((await broker.app.inject({ method: 'PATCH', url: '/livez' })).statusCode, 405);
});

test('a body that is not JSON is 415; an empty one is none where it calls itself JSON, or nothing', async (t) => {
  const send = (type: string, payload: string, url = '/api/v1/machines/request') =>
    broker.app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });
  t.is((await send('text/plain', 'template_id=small')).statusCode, 415);
  t.is((await send('application/x-www-form-urlencoded', 'count=3')).statusCode, 415);
  t.is((await send('nonsense', '{}')).statusCode, 415);
  t.is((await send('application/json; charset=utf-8', '{"template_id":"none","machine_count":1}')).statusCode, 404);
  t.is((await send('application/x-www-form-urlencoded', '', '/api/v1/templates/refresh')).statusCode, 415);
  t.is((await send('application/json', '', '/api/v1/templates/refresh')).statusCode, 200);
});

test('a route that needs no body takes an empty one, null and {}', async (t) => {
  t.is((await broker.call('POST', '/templates/refresh')).status, 200);
  for (const body of ['', 'null', '{}', ' \n'])
    t.is((await broker.call('POST', '/templates/refresh', body)).status, 200, body);
  t.is((await broker.call('POST', '/templates/refresh', '{"all":true}')).status, 400);
});

test('the planned routes of machines are not served, and the answer says where machines are', async (t) => {
  for (const path of ['/machines/', '/machines', '/machines/i-1']) {
    const answer = await broker.call('GET', path);
    t.is(answer.status, 501, path);
    t.regex(answer.body.detail, /GET \/api\/v1\/inventory\/ \[list_machines\]/);
  }
});

test('X-Request-Id comes back as it was sent, and is made where it is missing or no id', async (t) => {
  t.is(
    (await broker.call('GET', '/templates/', undefined, { 'x-request-id': 'call-7' })).headers['x-request-id'],
    'call-7',
  );
  t.is(
    (await broker.call('GET', '/nothing', undefined, { 'x-request-id': 'call-8' })).headers['x-request-id'],
    'call-8',
  );
  t.is(
    (await broker.call('GET', '/requests/%ff', undefined, { 'x-request-id': 'call-9' })).headers['x-request-id'],
    'call-9',
  );
  for (const bad of ['a b', 'x'.repeat(256), '']) {
    const given =
      (await broker.call('GET', '/templates/', undefined, { 'x-request-id': bad })).headers['x-request-id'] ?? '';
    t.regex(given, /^[0-9a-f-]{36}$/);
  }
});

test('lists are served with the slash at the end and without it', async (t) => {
  for (const path of ['/templates', '/requests']) {
    t.is((await broker.call('GET', path)).status, 200);
    t.is((await broker.call('GET', `${path}/`)).status, 200);
  }
});

test('no other path has a slash at the end: there is nothing, rather than a wrong method', async (t) => {
  for (const path of [
    '/templates/small/',
    '/providers/east/',
    '/requests/return/',
    '/requests/req-1/status/',
    '/templates//',
  ]) {
    const { status, body } = await broker.call('GET', path);
    t.is(status, 404, path);
    t.regex(body.detail, /^No route serves GET /, path);
  }
  t.is((await broker.call('POST', '/templates/validate/', {})).status, 404);
  t.is((await broker.app.inject('/livez/')).statusCode, 404);
  for (const url of ['/docs', '/docs/', '/redoc'])
    t.is((await broker.app.inject({ method: 'POST', url })).statusCode, 405, url);
});

test('an unknown route is refused without reading the body, in the form of its path', async (t) => {
  const bodies = [
    ['text/plain', 'a=b'],
    ['application/json', '{'],
    ['application/json', `"${'x'.repeat(1_100_000)}"`],
  ] as const;
  for (const [type, payload] of bodies) {
    const send = (method: 'POST' | 'PUT', url: string) =>
      broker.app.inject({ method, url, payload, headers: { 'content-type': type } });
    const nowhere = await send('POST', '/api/v1/nothing');
    t.is(nowhere.statusCode, 404);
    t.deepEqual(Object.keys(nowhere.json()), ['detail', 'code']);
    const wrong = await send('PUT', '/api/v1/providers/east');
    t.is(wrong.statusCode, 405);
    t.is(wrong.headers['allow'], 'GET');
    t.is(wrong.json().error.code, 'METHOD_NOT_ALLOWED');
    t.is((await send('POST', '/livez')).statusCode, 405);
  }
});

test('a body that came compressed is 415: it is not read', async (t) => {
  const payload = gzipSync('{"template_id":"small"}');
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const answer = await broker.app.inject({ method: 'POST', url: '/api/v1/templates/validate', payload, headers });
  t.is(answer.statusCode, 415);
  t.regex(answer.json().detail, /gzip/);
  const plain = { ...headers, 'content-encoding': 'identity' };
  t.is(
    (await broker.app.inject({ method: 'POST', url: '/api/v1/templates/validate', payload: '{}', headers: plain }))
      .statusCode,
    200,
  );
});

test('a template comes in its envelope, with a fresh time', async (t) => {
  const answer = await broker.call('GET', '/templates/small');
  t.is(answer.status, 200);
  t.deepEqual(Object.keys(answer.body), ['template', 'timestamp']);
  t.like(answer.body.template, { template_id: 'small', machine_type: 't3.small', provider_api: 'RunInstances' });
  await new Promise((resolve) => void setTimeout(resolve, 5));
  t.not((await broker.call('GET', '/templates/small')).body.timestamp, answer.body.timestamp);
  t.is((await broker.call('GET', '/templates/none')).status, 404);
});

test('templates are filtered by what would serve them', async (t) => {
  const { body } = await broker.call('GET', '/templates/?provider_api=EC2Fleet');
  t.deepEqual(
    body.templates.map((each: { template_id: string }) => each.template_id),
    ['fleet'],
  );
  t.is((await broker.call('GET', '/templates/?provider_type=aws')).body.count, 3);
});

test('the process says that it lives, whether it can serve, and what it is', async (t) => {
  t.is((await broker.app.inject('/livez')).json().status, 'ok');
  t.is((await broker.app.inject('/readyz')).statusCode, 200);
  t.is((await broker.app.inject('/health')).json().checks.storage.ok, true);
  t.like((await broker.app.inject('/info')).json(), { name: 'muster', scheduler: 'default', templates: 3 });
});

test('an unforeseen failure says nothing of the inside and is logged with the id of the call', async (t) => {
  const lines: [Readonly<Record<string, unknown>>, string][] = [];
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (fields: Readonly<Record<string, unknown>>, text: string) => void lines.push([fields, text]),
  };
  const own = await bootBroker({ storage: 'memory', loop: 'none', log });
  for (const [i, failure] of [
    new Error('secret of the inside'),
    new BrokerError('INTERNAL', 'secret of a storage'),
  ].entries()) {
    own.broker.store.versions = () => Promise.reject(failure);
    const answer = await own.call('GET', '/requests/req-1', undefined, { 'x-request-id': `call-${i}` });
    t.is(answer.status, 500);
    t.notRegex(JSON.stringify(answer.body), /secret/);
    t.like(lines[i]?.[0], { x_request_id: `call-${i}`, err: failure });
  }
  await own.close();
});
