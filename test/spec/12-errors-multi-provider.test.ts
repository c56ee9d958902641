import test from 'ava';
import { codes } from '../../core/contract/errors.ts';
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

const template = { template_id: 'any', image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
const coded: readonly (readonly [keyof typeof codes, string, Call, RegExp?])[] = [
  ['PROVIDER_NOT_FOUND', 'an instance that is not configured', ['GET', '/providers/eats'], /did you mean 'east'/],
  ['PROVIDER_NOT_FOUND', 'its capabilities', ['GET', '/providers/nowhere/capabilities']],
  [
    'PROVIDER_NOT_FOUND',
    'a check against it',
    ['POST', '/templates/small/validate', { provider_instance: 'nowhere' }],
  ],
  [
    'PROVIDER_NOT_FOUND',
    'a request for it',
    ['POST', '/requests/', { template_id: 'small', count: 1, provider_preference: { provider_instance: 'nowhere' } }],
  ],
  [
    'PROVIDER_DISABLED',
    'a disabled instance that is named',
    [
      'POST',
      '/requests/',
      { template_id: 'small', count: 1, provider_preference: { type: 'explicit', provider_instance: 'spare' } },
    ],
    /'spare'/,
  ],
  [
    'PROVIDER_TYPE_MISMATCH',
    'a type that no plugin brings',
    [
      'POST',
      '/providers/select',
      { template_id: 'small', selection_strategy: 'load_balanced', provider_type: 'metal' },
    ],
    /cloud/,
  ],
  [
    'PROVIDER_TYPE_MISMATCH',
    'a template of such a type, whatever the strategy',
    [
      'POST',
      '/providers/select',
      { template: { ...template, provider_type: 'metal' }, selection_strategy: 'default' },
    ],
    /metal/,
  ],
  [
    'PROVIDER_TYPE_MISMATCH',
    'the same for the environment',
    ['POST', '/providers/validate-env', { provider_type: 'metal', environment_variables: {} }],
    /cloud/,
  ],
  [
    'TEMPLATE_NOT_FOUND',
    'a template that is not there',
    ['POST', '/requests/', { template_id: 'smal', count: 1 }],
    /did you mean 'small'/i,
  ],
  ['TEMPLATE_NOT_FOUND', 'a check of it', ['POST', '/templates/none/validate', { provider_instance: 'east' }]],
  ['TEMPLATE_NOT_FOUND', 'a check of it against several', ['POST', '/templates/none/validate-multi', {}]],
  [
    'TEMPLATE_INVALID',
    'a template that fails validation',
    ['POST', '/providers/select', { template: { ...template, tags: 1 } }],
    /^\/template\/tags: /,
  ],
  [
    'API_NOT_SUPPORTED',
    'an API that the instance does not serve',
    ['POST', '/requests/', { template_id: 'fleet', count: 1, provider_preference: { provider_instance: 'bare' } }],
    /EC2Fleet/,
  ],
  [
    'INSTANCE_LIMIT_EXCEEDED',
    'more machines than the instance gives',
    ['POST', '/requests/', { template_id: 'small', count: 9, provider_preference: { provider_instance: 'east' } }],
    /8/,
  ],
  [
    'INSTANCE_LIMIT_EXCEEDED',
    'more machines than the template allows',
    ['POST', '/requests/', { template_id: 'bounded', count: 6 }],
    /5/,
  ],
  [
    'INVALID_CONFIGURATION',
    'a body that has no list of providers',
    ['POST', '/providers/validate', { providers: 'x' }],
    /\/providers/,
  ],
  ['REQUEST_NOT_FOUND', 'a request that is not there', ['GET', '/requests/req-x/provider'], /'req-x'/],
  [
    'INVALID_REQUEST',
    'a count below 1',
    ['POST', '/requests/', { template_id: 'small', count: 0 }],
    /\/machine_count: /,
  ],
  ['INVALID_REQUEST', 'malformed JSON', ['POST', '/providers/select', '{'], /not valid JSON/],
  [
    'INVALID_REQUEST',
    'an unknown level',
    ['POST', '/templates/small/validate', { provider_instance: 'east', validation_level: 'severe' }],
    /strict, lenient/,
  ],
  [
    'INVALID_REQUEST',
    'an unknown strategy',
    ['POST', '/providers/select', { template_id: 'small', selection_strategy: 'luck' }],
    /load_balanced/,
  ],
  ['INVALID_REQUEST', 'an unknown sort field', ['GET', '/providers/?sort=colour:asc'], /colour/],
  [
    'INVALID_REQUEST',
    'explicit without an instance',
    ['POST', '/requests/', { template_id: 'small', count: 1, provider_preference: { type: 'explicit' } }],
    /provider instance/,
  ],
  ['INVALID_REQUEST', 'a name longer than any', ['GET', `/providers/${'x'.repeat(256)}`], /provider_name/],
  ['INVALID_REQUEST', 'a name longer than is read at all', ['GET', `/providers/${'x'.repeat(1_200)}`], /longer/],
  ['METHOD_NOT_ALLOWED', 'a wrong method', ['DELETE', '/providers/select'], /POST/],
  [
    'PAYLOAD_TOO_LARGE',
    'a body beyond the limit',
    ['POST', '/providers/select', { template: { x: 'x'.repeat(1_100_000) } }],
    /1 MiB/,
  ],
];
for (const [code, what, call, message] of coded) {
  test(`multi-provider errors: ${what} is ${code}, ${codes[code].status}`, async (t) => {
    const { status, body, headers } = await send(call);
    t.is(status, codes[code].status, JSON.stringify(body));
    t.deepEqual(Object.keys(body), ['error']);
    const { details, ...rest } = body.error;
    t.deepEqual(shape(rest), { code: 'string', message: 'string', timestamp: 'time', request_id: 'string' });
    t.is(body.error.code, code);
    t.is(body.error.request_id, headers['x-request-id']);
    t.true(typeof details === 'object' && !Array.isArray(details));
    if (message) t.regex(body.error.message, message);
  });
}

test('multi-provider errors: details of an unknown provider name it, the known ones and what to do', async (t) => {
  const { details } = (await broker.call('GET', '/providers/eats')).body.error;
  t.deepEqual(shape(details), { requested_provider: 'string', available_providers: ['string'], suggestion: 'string' });
  t.like(details, { requested_provider: 'eats', available_providers: ['east', 'bare', 'spare'] });
});

test('multi-provider errors: without an enabled provider NO_ENABLED_PROVIDERS, 503 with Retry-After', async (t) => {
  const none = await specBroker({ configuration: { providers: [provider('east', { enabled: false })] } });
  t.teardown(() => none.close());
  const { status, body, headers } = await none.call('POST', '/requests/', { template_id: 'small', count: 1 });
  t.is(status, 503);
  t.is(body.error.code, 'NO_ENABLED_PROVIDERS');
  t.truthy(headers['retry-after']);
});

test('multi-provider errors: a preferred type that is not that of the template is PROVIDER_TYPE_MISMATCH', async (t) => {
  await broker.call('POST', '/templates/', { ...template, template_id: 'typed', provider_type: 'cloud' });
  const { status, body } = await broker.call('POST', '/requests/', {
    template_id: 'typed',
    count: 1,
    providerPreference: { type: 'load_balanced', provider_type: 'metal' },
  });
  t.deepEqual([status, body.error.code], [400, 'PROVIDER_TYPE_MISMATCH']);
});

const statuses: Readonly<Record<string, number>> = {
  PROVIDER_NOT_FOUND: 404,
  PROVIDER_DISABLED: 409,
  NO_ENABLED_PROVIDERS: 503,
  PROVIDER_TYPE_MISMATCH: 400,
  TEMPLATE_NOT_FOUND: 404,
  TEMPLATE_INVALID: 400,
  API_NOT_SUPPORTED: 400,
  INSTANCE_LIMIT_EXCEEDED: 400,
  INVALID_CONFIGURATION: 400,
  FILE_NOT_FOUND: 404,
  PARSE_ERROR: 400,
  REQUEST_NOT_FOUND: 404,
  MACHINE_NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  NOT_IMPLEMENTED: 501,
  UNAVAILABLE: 503,
  INTERNAL: 500,
  INVALID_REQUEST: 400,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
};
test('multi-provider errors: every code has the status that was decided', (t) => {
  for (const [code, status] of Object.entries(statuses))
    t.is(Number(codes[code as keyof typeof codes]?.status), status, code);
});

test('errors: another media type is 415 in the form of its route', async (t) => {
  const post = (url: string) =>
    broker.app.inject({
      method: 'POST',
      url: `/api/v1${url}`,
      payload: 'a=1',
      headers: { 'content-type': 'text/plain' },
    });
  const [basicForm, coded] = [await post('/machines/request'), await post('/requests/')];
  t.is(basicForm.statusCode, 415);
  t.deepEqual(Object.keys(basicForm.json()), ['detail', 'code']);
  t.is(coded.statusCode, 415);
  t.is(coded.json().error.code, 'UNSUPPORTED_MEDIA_TYPE');
});

test('errors: all errors are reported at once, with their places', async (t) => {
  const { body } = await broker.call('POST', '/requests/', {
    count: 'x',
    tepmlate_id: 'small',
    provider_preference: { type: 'luck', instance: 1 },
  });
  const paths = body.error.details.findings.map((each: any) => each.path);
  t.deepEqual(paths, [
    '/machine_count',
    '/provider_preference/instance',
    '/provider_preference/type',
    '/template_id',
    '/tepmlate_id',
  ]);
});

test('errors: a missing credentials file is a finding with FILE_NOT_FOUND, and nothing is reported about files elsewhere', async (t) => {
  const within = `${broker.place.directory}/credentials`;
  const { status, body } = await broker.call('POST', '/providers/validate', {
    providers: [
      { name: 'lost', type: 'cloud', config: { credential_file: within } },
      { name: 'found', type: 'cloud', config: { credential_file: `${broker.place.directory}/templates.json` } },
      { name: 'beside', type: 'cloud', config: { credentialFile: 'muster.config.json' } },
      ...[
        '/nowhere/credentials',
        '/etc/passwd',
        '~/.ssh/id_rsa',
        `${broker.place.directory}/../../etc/passwd`,
        './.env',
      ].map((credential_file, i) => ({
        name: `elsewhere-${i}`,
        type: 'cloud',
        config: { credential_file },
      })),
    ],
  });
  t.is(status, 200);
  t.false(body.valid);
  t.deepEqual(body.providers[0].errors, [`FILE_NOT_FOUND: credential_file ${within} does not exist`]);
  t.deepEqual([body.providers[1].errors, body.providers[2].errors], [[], []]);
  for (const { errors } of body.providers.slice(3)) {
    t.is(errors.length, 1);
    t.regex(
      errors[0],
      /^FILE_NOT_FOUND: credential_file \S+ is not in the directory of the server's configuration, and callers cannot ask about other files;/,
    );
  }
});
