import { Agent, request } from 'node:http';
import test from 'ava';
import { serveBroker, type Served } from './serve.ts';

let server: Served;
test.before(async () => {
  server = await serveBroker();
});
test.after.always(() => server.close());

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

interface Got {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/** A path goes out as it is written: no client tidies it up. */
function send(method: string, path: string, body?: string | Buffer): Promise<Got> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ port: server.port, host: '127.0.0.1', agent, method, path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, ms: performance.now() - began }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const ids = [
  '%00',
  'a%00b',
  '..%2f..%2f..%2fetc%2fpasswd',
  '..%5c..%5cetc',
  '%2e%2e',
  '....%2f%2f',
  '__proto__',
  'constructor',
  'toString',
  '%ed%a0%80',
  '%c0%ae%c0%ae',
  '%F0%9F%92%A9',
  '%0d%0aSet-Cookie:%20a=b',
  "'%20OR%201=1--",
  '%25%30%30',
  '*',
  'a'.repeat(255),
  'a'.repeat(2_000),
];

const strings = [
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '../../etc/passwd',
  '__proto__',
  '\u202e',
  "'; DROP TABLE request;--",
  'x'.repeat(100_000),
  '#{7*7}',
  '\r\nX-A: b',
];
const fields = [
  'template_id',
  'machine_ids',
  'request_id',
  'provider_name',
  'provider_type',
  'provider_instance',
  'selection_strategy',
  'name',
  'tags',
  'template',
  'providers',
  'reason',
];

const bodies: readonly (readonly [what: string, body: string])[] = [
  ['100 000 brackets', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['100 000 brackets that nobody closes', '['.repeat(100_000)],
  ['100 000 objects, one in the other', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  [
    'brackets within free data',
    `{"template_id":"small","machine_count":1,"additional_data":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`,
  ],
  [
    'numbers beyond all bounds',
    '{"template_id":"small","machine_count":1e400,"timeout":-1e400,"limit":99999999999999999999999999}',
  ],
  ['a number of a hundred thousand digits', `{"machine_count":${'9'.repeat(100_000)}}`],
  ['minus nothing', '{"template_id":"small","machine_count":-0}'],
  ['names twice', '{"template_id":"none","template_id":"none","machine_count":0,"machine_count":0}'],
  ['a prototype', '{"__proto__":{"polluted":1},"template_id":"none"}'],
  ['a constructor', '{"constructor":{"prototype":{"polluted":1}},"template_id":"none"}'],
  [
    'a prototype, deeper',
    '{"template":{"__proto__":{"polluted":1}},"tags":{"__proto__":{"polluted":1}},"providers":[{"__proto__":{"polluted":1}}]}',
  ],
  ['a prototype, encoded', '{"\\u005f\\u005fproto__":{"polluted":1}}'],
  ['50 000 unknown fields', `{${Array.from({ length: 50_000 }, (_, i) => `"f${i}":1`).join(',')}}`],
  ['a list of 50 000 numbers', `{"machine_ids":[${'1,'.repeat(50_000)}1]}`],
  ['a list of 20 000 texts', `{"machine_ids":[${Array.from({ length: 20_000 }, (_, i) => `"i-${i}"`).join(',')}]}`],
  ['a name of 500 kilobytes', `{"${'a'.repeat(500_000)}":1}`],
  ['spaces', ' '.repeat(100_000)],
  ['a lone surrogate as it must not be written', '{"template_id":"\\ud800"}'],
  ...strings.map((text): readonly [string, string] => [
    `the text ${JSON.stringify(text.slice(0, 20))} everywhere`,
    JSON.stringify(
      Object.fromEntries(
        fields.map((field) => [field, field.endsWith('ids') || field === 'providers' ? [text] : text]),
      ),
    ),
  ]),
];

interface Route {
  readonly method: string;
  readonly path: string;
  readonly declared: readonly number[];
  readonly takesBody: boolean;
}

async function routes(): Promise<readonly Route[]> {
  const { paths } = JSON.parse((await send('GET', '/openapi.json')).text) as {
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly responses: object; readonly requestBody?: object }>>>
    >;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      declared: Object.keys(responses).map(Number),
      takesBody: requestBody !== undefined,
    })),
  );
}

/** What is long is read in the same way everywhere: one route of each kind takes all of it. */
const longRead = new Set([
  '/api/v1/templates/validate',
  '/api/v1/templates/{template_id}',
  '/api/v1/machines/request',
  '/api/v1/providers/validate',
  '/api/v1/operations/{operation}',
  '/api/v1/hostfactory/requestMachines',
]);

/** Answers that any route may give, whatever it declares. */
const common = [400, 404, 405, 413, 415, 429];

test("for any body every route returns a declared answer at once, and no other caller's data change", async (t) => {
  const all = (await routes()).filter(({ takesBody }) => takesBody);
  t.true(all.length > 10);
  for (const { method, path, declared } of all) {
    const url = path.replaceAll(/\{\w+\}/g, 'small');
    for (const [what, body] of bodies) {
      if (body.length > 50_000 && !longRead.has(path)) continue;
      const { status, text, ms } = await send(method, url, body);
      t.true(
        declared.includes(status) || common.includes(status),
        `${method} ${url}, ${what}: ${status} ${text.slice(0, 200)}`,
      );
      t.true(ms < 10_000, `${method} ${url}, ${what}: ${ms} ms`);
      t.true(text.length < 400_000, `${method} ${url}, ${what}: an answer of ${text.length}`);
    }
  }
  t.is(({} as { polluted?: unknown }).polluted, undefined);
});

test('for any id in a path every route returns a declared answer', async (t) => {
  const all = (await routes()).filter(({ path }) => path.includes('{'));
  t.true(all.length > 10);
  for (const { method, path, declared, takesBody } of all) {
    for (const id of ids) {
      const { status, text } = await send(method, path.replaceAll(/\{\w+\}/g, id), takesBody ? '{}' : undefined);
      t.true(
        declared.includes(status) || common.includes(status),
        `${method} ${path} with ${id}: ${status} ${text.slice(0, 200)}`,
      );
      t.notRegex(text, /root:|node_modules|at file:/);
    }
  }
});

test('a template with an id that is none is not stored, over any route', async (t) => {
  for (const id of ['\0', 'a\0', '..', '../a', 'a/b', '.a', '__proto__', '\ud800', 'a b', '', 'a'.repeat(129), 'é']) {
    const { status } = await send(
      'POST',
      '/api/v1/templates/',
      JSON.stringify({ template_id: id, image_id: 'ami-1', machine_type: 't3.small' }),
    );
    t.is(status, 400, JSON.stringify(id));
  }
});

test('free data keep every key as sent, and no key has a special meaning', async (t) => {
  const additional_data =
    '{"__proto__":{"a":1},"constructor":{"prototype":{"polluted":1}},"hasOwnProperty":1,"a\\u0000b":"\\ud800"}';
  const { status, text } = await send(
    'POST',
    '/api/v1/machines/request',
    `{"template_id":"small","machine_count":1,"additional_data":${additional_data}}`,
  );
  t.is(status, 200, text);
  const { request_id } = JSON.parse(text) as { readonly request_id: string };
  const shown = await send('GET', `/api/v1/requests/${request_id}`);
  t.is(shown.status, 200);
  t.regex(shown.text, /"hasOwnProperty":1/);
  t.is(({} as { polluted?: unknown }).polluted, undefined);
});

test('the list of a scheduler is bounded, and a repeated id is looked up once', async (t) => {
  const ask = (script: string, input: unknown) =>
    send('POST', `/api/v1/hostfactory/${script}`, JSON.stringify({ input }));
  const many = await ask('getRequestStatus', { requests: Array.from({ length: 10_001 }, (_, i) => `req-${i}`) });
  t.deepEqual(JSON.parse(many.text), { message: 'There are more than 10000 requests in the input file.' });
  // Sixteen megabytes of them would keep everybody else waiting for minutes.
  const twice = await ask('getRequestStatus', {
    requests: [...Array.from({ length: 9_999 }, () => 'req-1'), { requestId: 'req-2' }],
  });
  const told = JSON.parse(twice.text).requests.map(({ requestId }: { readonly requestId: string }) => requestId);
  t.deepEqual([told.length, new Set(told)], [10_000, new Set(['req-1', 'req-2'])]);
  for (const script of ['requestReturnMachines', 'getReturnRequests']) {
    const { status, text } = await ask(script, { machines: Array.from({ length: 100_001 }, () => 'a') });
    t.is(status, 400);
    t.is(JSON.parse(text).detail, 'The body has more than 15000 fields or 50000 entries.', script);
  }
});

test('what a request carries along has a bound, over every route: it is stored, and shown, with all that becomes of the request', async (t) => {
  const wanted = { template_id: 'small', machine_count: 1 };
  const ask = (path: string, body: unknown) => send('POST', `/api/v1/${path}`, JSON.stringify(body));
  const large = { a: 'x'.repeat(262_140) };
  const least = await ask('machines/request', { ...wanted, additional_data: { a: 'x'.repeat(262_000) } });
  t.is(least.status, 200, least.text);
  const refused = await ask('machines/request', { ...wanted, additional_data: large });
  t.is(refused.status, 400);
  t.is(
    JSON.parse(refused.text).detail,
    '/additional_data: it has 262148 characters as JSON, more than the 262144 that a request may carry',
  );
  t.is((await ask('operations/create_request', { ...wanted, tags: large })).status, 400);
  const { text } = await ask('hostfactory/requestMachines', {
    input: { template: { templateId: 'small', machineCount: 1 }, userData: large },
  });
  t.regex(JSON.parse(text).message, /characters as JSON, more than the 262144/);
});
