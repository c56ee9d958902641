import test from 'ava';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await bootBroker({ storage: 'memory', loop: 'none' });
});
test.after.always(() => broker.close());

const ask = (body: unknown) => broker.call('POST', '/machines/request', body);
const deep = (levels: number) =>
  `{"template_id":"small","machine_count":1,"additional_data":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;

const refusals: readonly (readonly [string, unknown, number, RegExp])[] = [
  ['a missing field', { template_id: 'small' }, 400, /^\/machine_count: is required$/],
  ['no body at all', undefined, 400, /^\/machine_count: is required; \/template_id: is required$/],
  ['null', null, 400, /^\/machine_count: is required; \/template_id: is required$/],
  ['a list', [], 400, /^The body must be a JSON object\.$/],
  ['a number', 3, 400, /^The body must be a JSON object\.$/],
  ['a count of 0', { template_id: 'small', machine_count: 0 }, 400, /^\/machine_count: /],
  ['a count of -1', { template_id: 'small', machine_count: -1 }, 400, /^\/machine_count: /],
  ['a count of 1e9', { template_id: 'small', machine_count: 1e9 }, 400, /^\/machine_count: .*10000/],
  ['a count beyond 2^53', '{"template_id":"small","machine_count":1e400}', 400, /^\/machine_count: /],
  [
    'a count as text',
    { template_id: 'small', machine_count: '3' },
    400,
    /^\/machine_count: must be an integer, not a string$/,
  ],
  ['a broken count', { template_id: 'small', machine_count: 1.5 }, 400, /^\/machine_count: /],
  [
    'a count of null',
    { template_id: 'small', machine_count: null },
    400,
    /^\/machine_count: must be an integer, not null$/,
  ],
  [
    'more than the template allows',
    { template_id: 'bounded', machine_count: 6 },
    400,
    /6 machines are more than the 5/,
  ],
  ['an unknown template', { template_id: 'smal', machine_count: 1 }, 404, /'smal'.*'small'/],
  ['an empty template id', { template_id: '', machine_count: 1 }, 400, /^\/template_id: /],
  [
    'a template id of another type',
    { template_id: 7, machine_count: 1 },
    400,
    /^\/template_id: must be a string, not a number$/,
  ],
  ['a template id with a lone surrogate', '{"template_id":"\\ud800","machine_count":1}', 404, /No template/],
  [
    'an unknown field',
    { template_id: 'small', machine_count: 1, machine_cout: 1 },
    400,
    /^\/machine_cout: unknown field; did you mean 'machine_count'\?$/,
  ],
  [
    'a field that this route leaves out',
    { template_id: 'small', machine_count: 1, request_id: 'req-1' },
    400,
    /^\/request_id: unknown field/,
  ],
  [
    'two spellings with different values',
    { template_id: 'small', machineCount: 1, count: 2 },
    400,
    /\/count: .*\/machineCount: /,
  ],
  [
    'everything at once',
    { templateid: 1, machine_count: 'x', tags: 7 },
    400,
    /\/machine_count: .*\/tags: .*\/template_id: .*\/templateid: /,
  ],
  [
    'free data that is no object',
    { template_id: 'small', machine_count: 1, additional_data: [] },
    400,
    /^\/additional_data: /,
  ],
  ['a prototype key', '{"template_id":"small","machine_count":1,"__proto__":{"x":1}}', 400, /__proto__/],
  [
    'a constructor key',
    '{"template_id":"small","machine_count":1,"constructor":{"x":1}}',
    400,
    /^\/constructor: unknown field/,
  ],
  ['malformed JSON', '{"template_id":', 400, /^The body is not valid JSON/],
  ['text after the JSON', '{} {}', 400, /^The body is not valid JSON/],
  ['nesting beyond all use', deep(100), 400, /nested/],
  ['nesting that would exhaust the stack', deep(200_000), 400, /nested/],
  [
    'a body of 2 MB',
    { template_id: 'small', machine_count: 1, additional_data: { text: 'x'.repeat(2_000_000) } },
    413,
    /1 MiB/,
  ],
];

for (const [what, body, status, detail] of refusals) {
  test(`${what} is refused with the reason`, async (t) => {
    const answer = await ask(body);
    t.is(answer.status, status);
    t.deepEqual(Object.keys(answer.body), ['detail', 'code']);
    t.regex(answer.body.detail, detail);
  });
}

test.serial('what is refused stores nothing', async (t) => {
  for (const [, body] of refusals) await ask(body);
  t.is(await broker.broker.store.count('request', {}), 0);
  t.is(await broker.broker.store.count('key', {}), 0);
});

test('bytes that are not UTF-8 are refused', async (t) => {
  const payload = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
  const answer = await broker.app.inject({
    method: 'POST',
    url: '/api/v1/machines/request',
    payload,
    headers: { 'content-type': 'application/json' },
  });
  t.is(answer.statusCode, 400);
  t.is(answer.json().detail, 'The body is not valid UTF-8.');
});

test('a query is converted, and refused like a body', async (t) => {
  const ok = await broker.call('GET', '/requests/?limit=3&status=pending');
  t.is(ok.status, 200);
  const bad = await broker.call('GET', '/requests/?limit=0&page=x&statsu=pending');
  t.is(bad.status, 400);
  t.regex(
    bad.body.detail,
    /\/limit: .*\/page: must be an integer, not a string; \/statsu: unknown field; did you mean 'status'\?/,
  );
  t.is((await broker.call('GET', '/requests/?limit=1&limit=2')).status, 400);
  t.is((await broker.call('GET', '/requests/?limit=5&page_size=5')).status, 400);
  t.is((await broker.call('GET', '/requests/?status=done')).status, 400);
  t.is((await broker.call('GET', '/requests/?__proto__=1&sort=nothing')).status, 400);
});

test('what is wrong with the query neither hides nor makes up anything of the body', async (t) => {
  const path = '/machines/request?machineCount=2&machine_count=3';
  const { status, body } = await broker.call('POST', path, { template_id: 'small', additional_data: 5 });
  t.is(status, 400);
  t.regex(body.detail, /\/additional_data: must be an object/);
  for (const name of ['machineCount', 'machine_count'])
    t.true(body.detail.includes(`/${name}: is in the query`), name);
});

test('ids in paths may be anything and find nothing', async (t) => {
  for (const id of ['req-nothing', '%00', '..%2f..%2fetc', 'a'.repeat(255), '__proto__', '%F0%9F%92%A9']) {
    const answer = await broker.call('GET', `/requests/${id}/status`);
    t.is(answer.status, 404, id);
    t.truthy(answer.body.detail);
  }
  t.is((await broker.call('GET', `/requests/${'a'.repeat(256)}/status`)).status, 400);
  t.is((await broker.call('GET', '/templates/constructor')).status, 404);
});

test('a path that is no percent-encoding is refused', async (t) => {
  const answer = await broker.call('GET', '/requests/%ff/status');
  t.is(answer.status, 400);
  t.deepEqual(Object.keys(answer.body), ['detail', 'code']);
});

test('a return of nothing, of the wrong type or of unknown machines is refused', async (t) => {
  const giveBack = (body: unknown) => broker.call('POST', '/machines/return', body);
  t.regex((await giveBack({ machine_ids: [] })).body.detail, /^\/machine_ids: /);
  t.regex((await giveBack({ machine_ids: 'i-1' })).body.detail, /^\/machine_ids: must be an array, not a string$/);
  t.regex((await giveBack({ machine_ids: ['i-1', 2] })).body.detail, /^\/machine_ids\/1: /);
  const unknown = await giveBack({ machineIds: ['i-1', 'i-2'] });
  t.is(unknown.status, 404);
  t.regex(unknown.body.detail, /'i-1', 'i-2'/);
});
