import test from 'ava';
import { codes, type Code } from '../../core/contract/errors.ts';
import type { Answer, BootedBroker } from '../support/boot-broker.ts';
import { provider, shape, specBroker } from './spec-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker({
    configuration: {
      plugins: [
        'cloud',
        'cloud-runinstances',
        'cloud-ec2fleet',
        'default-format',
        'hostfactory-format',
        'storage-memory',
      ],
      providers: [
        provider('east', { limits: { max_instances_per_request: 8 } }),
        provider('bare', { config: { handlers: { ec2_fleet: false } } }),
        provider('spare', { enabled: false }),
      ],
    },
  });
});
test.after.always(() => broker.close());

type Call = readonly ['GET' | 'POST' | 'PUT' | 'DELETE', string, unknown?];
const send = ([method, path, body]: Call): Promise<Answer> => broker.call(method, path, body);

const basic: readonly (readonly [string, Call, number, RegExp])[] = [
  ['a template id that does not exist, on GET', ['GET', '/templates/none'], 404, /'none'/],
  ['the same with its source', ['GET', '/templates/none?include_source=true'], 404, /'none'/],
  ['a create that fails validation', ['POST', '/templates/', { template_id: 'x', tags: 1 }], 400, /^\/tags: /],
  ['an update that fails validation', ['PUT', '/templates/small', { tags: 1 }], 400, /^\/tags: /],
  ['GET /machines/', ['GET', '/machines/'], 501, /list_machines/],
  ['GET /machines/{machine_id}', ['GET', '/machines/i-1'], 501, /get_machine/],
  ['an unknown request id', ['GET', '/requests/req-x/status'], 404, /'req-x'/],
  ['the update of an unknown template', ['PUT', '/templates/none', { name: 'n' }], 404, /'none'/],
  ['the delete of an unknown template', ['DELETE', '/templates/none'], 404, /'none'/],
  ['the delete of a template that a file holds', ['DELETE', '/templates/small'], 409, /templates\.json/],
  ['the create of an existing template', ['POST', '/templates/', { template_id: 'small' }], 409, /already exists/],
  [
    'another id in the body of an update',
    ['PUT', '/templates/small', { template_id: 'other' }],
    400,
    /^\/template_id: /,
  ],
  [
    'the return of unknown machines',
    ['POST', '/machines/return', { machine_ids: ['i-1', 'i-2'] }],
    404,
    /'i-1', 'i-2'/,
  ],
  ['the return of nothing', ['POST', '/machines/return', { machine_ids: [] }], 400, /^\/machine_ids: /],
  [
    'a request from an unknown template',
    ['POST', '/machines/request', { template_id: 'none', machine_count: 1 }],
    404,
    /'none'/,
  ],
  ['too many machines', ['POST', '/machines/request', { template_id: 'bounded', machine_count: 6 }], 400, /6 .*5/],
  ['malformed JSON', ['POST', '/machines/request', '{'], 400, /not valid JSON/],
  [
    'an unknown field',
    ['POST', '/machines/request', { template_id: 'small', machine_cont: 1 }],
    400,
    /did you mean 'machine_count'/,
  ],
  ['an unknown path', ['GET', '/nothing'], 404, /\/nothing/],
  ['a wrong method', ['DELETE', '/machines/request'], 405, /POST/],
  ['the cancel of an unknown request', ['DELETE', '/requests/req-x'], 404, /'req-x'/],
];
for (const [what, call, status, detail] of basic) {
  test(`basic errors: ${what} is ${status}, a JSON object with detail and the code`, async (t) => {
    const { status: got, body, headers } = await send(call);
    t.is(got, status, JSON.stringify(body));
    t.deepEqual(shape(body), { detail: 'string', code: 'string' });
    t.is(got, codes[body.code as Code].status, `${body.code} is a code of this status`);
    t.regex(body.detail, detail);
    t.regex(headers['content-type'] ?? '', /^application\/json/);
  });
}

test('basic errors: a template that lacks what its API needs can be stored and not be requested, with the reason', async (t) => {
  t.is((await broker.call('POST', '/templates/', { template_id: 'lacking' })).status, 201);
  const { status, body } = await broker.call('POST', '/machines/request', {
    template_id: 'lacking',
    machine_count: 1,
  });
  t.is(status, 400);
  t.regex(body.detail, /\/image_id: is needed.*\/machine_type: is needed/);
});

test('basic errors: the code distinguishes refusals of one status', async (t) => {
  const coded = [
    [['GET', '/templates/none'], 'TEMPLATE_NOT_FOUND'],
    [['GET', '/requests/req-x/status'], 'REQUEST_NOT_FOUND'],
    [['POST', '/machines/return', { machine_ids: ['i-1'] }], 'MACHINE_NOT_FOUND'],
    [['GET', '/nothing'], 'NOT_FOUND'],
    [['POST', '/templates/', { template_id: 'small' }], 'ALREADY_EXISTS'],
    [['POST', '/machines/request', { template_id: 'bounded', machine_count: 6 }], 'INSTANCE_LIMIT_EXCEEDED'],
    [['POST', '/machines/request', { machine_count: 6 }], 'INVALID_REQUEST'],
    [['GET', '/machines/'], 'NOT_IMPLEMENTED'],
    [['DELETE', '/machines/request'], 'METHOD_NOT_ALLOWED'],
  ] as const;
  for (const [call, code] of coded) t.is((await send(call)).body.code, code, call.join(' '));
});
