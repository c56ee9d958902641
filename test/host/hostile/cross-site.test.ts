import test from 'ava';
import { serveBroker, type Served } from './serve.ts';
import { talk } from './wire.ts';

/** What a page can have a browser send without asking the server first: no JSON, and headers that it cannot choose. */
interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function send(
  { port }: Served,
  { method = 'POST', path = '/templates/refresh', host = `localhost:${port}`, headers = {}, body = '' }: Sent,
) {
  const lines = Object.entries({ host, 'content-length': String(Buffer.byteLength(body)), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const target =
    path.startsWith('/api/') || path.startsWith('/mcp') || path.startsWith('/docs') ? path : `/api/v1${path}`;
  const { answers } = await talk(port, `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return { status: answers[0]?.status, body: answers[0]?.body ?? '' };
}

const foreign = 'https://evil.example';
const places: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['on a loopback address', {}],
  ['on every address', { host: '0.0.0.0' }],
  ['behind a gateway that is trusted', { trust_proxy: true }],
];

for (const [where, settings] of places) {
  test(`${where}, a page of another origin is refused by its Origin and by Sec-Fetch-Site`, async (t) => {
    const server = await serveBroker(settings);
    t.teardown(() => server.close());
    const cross = { 'sec-fetch-site': 'cross-site' };
    for (const headers of [{ origin: foreign }, { origin: 'null' }, cross, { ...cross, origin: foreign }] as const)
      for (const method of ['POST', 'GET', 'DELETE'])
        t.is((await send(server, { method, headers })).status, 403, JSON.stringify([method, headers]));
    t.is((await send(server, { path: '/mcp', headers: { origin: foreign } })).status, 403);
    // A link to the documentation may be followed; it may not be put into a frame.
    const followed = { ...cross, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    t.not((await send(server, { method: 'GET', path: '/docs/', headers: followed })).status, 403);
    t.is(
      (await send(server, { method: 'GET', path: '/docs/', headers: { ...followed, 'sec-fetch-dest': 'iframe' } }))
        .status,
      403,
    );
    t.is((await send(server, { headers: followed })).status, 403);
    // Programs say nothing of the kind.
    t.is((await send(server, {})).status, 200);
  });

  test(`${where}, the server's own pages may call; a page of another program on the same host is another origin`, async (t) => {
    const server = await serveBroker(settings);
    t.teardown(() => server.close());
    const { port } = server;
    for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`, `http://[::1]:${port}`])
      t.is((await send(server, { headers: { origin } })).status, 200, origin);
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', `https://localhost:${port + 1}`])
      t.is((await send(server, { headers: { origin, 'sec-fetch-site': 'same-site' } })).status, 403, origin);
    t.is(
      (await send(server, { headers: { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' } })).status,
      200,
    );
  });
}

test('a gateway passes the pages of its own name, as Host, as X-Forwarded-Host where it is trusted, or by server.allowed_hosts', async (t) => {
  const server = await serveBroker({ trust_proxy: true });
  t.teardown(() => server.close());
  const origin = 'https://muster.example.org';
  t.is((await send(server, { host: 'muster.example.org', headers: { origin } })).status, 200);
  t.is((await send(server, { host: 'muster.example.org:443', headers: { origin } })).status, 200);
  t.is((await send(server, { host: 'muster.example.org:8443', headers: { origin } })).status, 403);
  t.is(
    (await send(server, { host: '10.0.0.1:8000', headers: { origin, 'x-forwarded-host': 'muster.example.org' } }))
      .status,
    200,
  );
  const open = await serveBroker({ host: '0.0.0.0', allowed_hosts: ['console.example.org'] });
  t.teardown(() => open.close());
  const headers = { origin, 'x-forwarded-host': 'muster.example.org' };
  t.is((await send(open, { headers })).status, 403, 'nobody is trusted to say it');
  t.is(
    (await send(open, { headers: { origin: 'https://console.example.org:8443', 'sec-fetch-site': 'cross-site' } }))
      .status,
    200,
  );
});

test('a form of any page orders nothing: input comes from a JSON body alone, and every other type is refused, also with an empty body', async (t) => {
  const server = await serveBroker({ host: '0.0.0.0' });
  t.teardown(() => server.close());
  const order = '/machines/request?template_id=small&machine_count=100';
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ])
    t.is((await send(server, { path: order, headers: { 'content-type': type } })).status, 415, type);
  const bare = await send(server, { path: order });
  t.is(bare.status, 400);
  t.regex(bare.body, /\/machine_count: is in the query; this call reads its input from the JSON body/);
  const json = { 'content-type': 'application/json' };
  const both = await send(server, { path: order, headers: json, body: '{"template_id":"small","machine_count":100}' });
  t.is(both.status, 400);
  for (const [method, path] of [
    ['POST', '/requests/?template_id=small&count=1'],
    ['POST', '/requests/status?request_ids=req-1'],
    ['POST', '/machines/return?machine_ids=i-1'],
    ['POST', '/templates/validate?template_id=x'],
    ['PUT', '/templates/small?image_id=ami-9'],
    ['POST', '/templates/refresh?force=true'],
  ] as const)
    t.is((await send(server, { method, path, headers: json, body: '{}' })).status, 400, path);
  t.is((await server.broker.store.find('request', {})).length, 0);
  // What no form can send reads its query as before.
  t.is((await send(server, { method: 'DELETE', path: '/requests/req-1?reason=over' })).status, 404);
});
