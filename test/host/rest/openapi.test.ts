import test, { type ExecutionContext } from 'ava';
import { Compile } from 'typebox/compile';
import { codes } from '../../../core/contract/errors.ts';
import type { RestBinding } from '../../../core/contract/service/rest-binding.ts';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';
import { inlineRefs } from '../../support/inline-refs.ts';
import { openApiFindings } from '../../support/openapi-findings.ts';

type Json = Readonly<Record<string, any>>;
interface Route {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly operation: Json;
}

const schedulers = ['default', 'hostfactory'] as const;
const limited = {
  configuration: {
    server: { rate_limit: { enabled: true, provider: 10_000, template: 10_000, request: 10_000, validation: 10_000 } },
  },
};

async function documented(
  t: ExecutionContext,
  scheduler: (typeof schedulers)[number],
  options: object = { storage: 'memory', loop: 'none' },
) {
  const broker = await bootBroker({ scheduler, ...limited, ...options });
  t.teardown(() => broker.close());
  const answer = await broker.app.inject('/openapi.json');
  t.is(answer.headers['content-type'], 'application/json; charset=utf-8');
  return { broker, document: answer.json() as Json };
}

const routesOf = (document: Json): readonly Route[] =>
  Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase() as Route['method'],
      operation: operation as Json,
    })),
  );

/** What is wrong with a value by a schema of the document. */
function misfits(schema: Json, value: unknown, document: Json, closed: boolean): readonly string[] {
  const validator = Compile(inlineRefs(schema, document, closed));
  return validator.Check(value)
    ? []
    : [...validator.Errors(value)].map(({ instancePath, message }) => `${instancePath} ${message}`);
}

for (const scheduler of schedulers) {
  test(`the document follows the rules of OpenAPI 3.1 (${scheduler})`, async (t) => {
    const { document } = await documented(t, scheduler);
    t.deepEqual(openApiFindings(document), []);
  });

  test(`every example in the document fits its own schema (${scheduler})`, async (t) => {
    const { document } = await documented(t, scheduler);
    for (const { path, method, operation } of routesOf(document)) {
      const contents = [operation['requestBody'], ...Object.values(operation['responses'] as Record<string, Json>)];
      for (const media of contents.flatMap((each) => Object.values((each?.content ?? {}) as Json)))
        if ('example' in media)
          t.deepEqual(
            misfits(media.schema, media.example, document, true),
            [],
            `${method} ${path} ${JSON.stringify(media.example)}`,
          );
      for (const parameter of operation['parameters'])
        if ('example' in parameter)
          t.deepEqual(misfits(parameter.schema, parameter.example, document, true), [], `${path} ${parameter.name}`);
    }
  });
}

test('a default, or an example, that its own schema forbids is found', async (t) => {
  const { document } = await documented(t, 'default');
  const broken = (change: (document: any) => void): readonly string[] => {
    const copy = structuredClone(document);
    change(copy);
    return openApiFindings(copy);
  };
  const limits = broken(
    ({ components: { schemas } }) =>
      (schemas.ProviderEntry.properties.limits.required = ['max_instances_per_request']),
  );
  t.regex(limits.join(), /ProviderEntry\/limits\/default: .*max_instances_per_request/);
  const status = broken(({ components: { schemas } }) => (schemas.Detail.properties.code.examples = ['NO_CODE']));
  t.regex(status.join(), /Detail\/code\/examples\/0: /);
  const media = broken(
    ({ paths }) => (paths['/livez'].get.responses['200'].content['application/json'].example.pid = 'one'),
  );
  t.regex(media.join(), /GET \/livez 200\/example\/pid: /);
  const path = broken(({ paths }) => (paths['/api/v1/requests/{request_id}'].get.parameters[0].example = 7));
  t.regex(path.join(), /path request_id\/example: /);
});

test('every route is described, with its group and the header of its kind, and nothing that is not served', async (t) => {
  const { broker, document } = await documented(t, 'default');
  const routes = routesOf(document);
  for (const { path, method } of routes)
    t.true(broker.app.hasRoute({ method, url: path.replace(/\{(\w+)\}/g, ':$1') }), `${method} ${path} is served`);
  for (const operation of broker.broker.operations) {
    const bindings: readonly RestBinding[] = operation.rest === undefined ? [] : [operation.rest].flat();
    for (const rest of bindings) {
      const found =
        routes.find(({ path, method }) => path === `/api/v1${rest.path}` && method === rest.method)?.operation ?? {};
      t.true(operation.summary.startsWith(String(found['summary']).slice(0, -1)), rest.path);
      t.true(found['operationId'].startsWith(operation.name));
      t.is(found['x-rate-limit-group'], rest.limit);
      t.is('429' in (found['responses'] as Json), rest.limit !== undefined, rest.path);
      const references = found['parameters'].map(({ $ref }: Json) => $ref);
      t.is(references.includes('#/components/parameters/Idempotency-Key'), rest.idempotent === true);
      t.true(references.includes('#/components/parameters/X-Request-Id'));
    }
  }
  for (const path of [
    '/health',
    '/livez',
    '/readyz',
    '/metrics',
    '/info',
    '/openapi.json',
    '/api/v1/machines/',
    '/api/v1/machines/{machine_id}',
  ])
    t.truthy(document['paths'][path]?.get, path);
  t.deepEqual(document['components'].schemas.Error.properties.error.properties.code.enum, Object.keys(codes));
});

test('the document has the fields of templates, other spellings and the fields that a plugin declares', async (t) => {
  const { document } = await documented(t, 'default');
  const { schemas } = document['components'];
  for (const field of [
    'template_id',
    'machine_type',
    'machine_types',
    'price_type',
    'fleet_type',
    'percent_on_demand',
  ])
    t.truthy(schemas.TemplateFields.properties[field], field);
  t.regex(schemas.TemplateFields.properties.machine_type.description, /Also written .*`instance_type`/);
  const body = document['paths']['/api/v1/machines/request'].post.requestBody.content['application/json'].schema;
  t.regex(body.properties.machine_count.description, /Also written `count`, `requested_count`\./);
  t.deepEqual(Object.keys(body.properties), [
    'template_id',
    'machine_count',
    'additional_data',
    'timeout',
    'tags',
    'lease',
    'names',
    'partial',
  ]);
  t.deepEqual(body.required, ['template_id', 'machine_count']);
  t.false(body.additionalProperties);
  t.like(schemas.CloudConfiguration.properties.secret_access_key, { 'x-sensitive': true });
  const long = document['paths']['/api/v1/requests/{request_id}/status'].get.parameters.find(
    ({ name }: Json) => name === 'long',
  );
  t.true(long.schema.default);
});

test('the shapes of answers are those of the active scheduler', async (t) => {
  const ofOwn = (await documented(t, 'default')).document;
  const ofHostFactory = (await documented(t, 'hostfactory')).document;
  const fields = (document: Json) => Object.keys(document['components'].schemas.Requested.properties);
  t.true(fields(ofOwn).includes('request_id'));
  t.true(fields(ofHostFactory).includes('requestId'));
  t.deepEqual(ofOwn['components'].schemas.TemplateList, ofHostFactory['components'].schemas.TemplateList);
});

/** Ids that only a cloud or an earlier call could give, as this broker has them. */
type Real = Readonly<Record<string, string>>;

async function call(broker: BootedBroker, { path, method, operation }: Route, real: Real) {
  const swap = (text: string) =>
    Object.entries(real).reduce((all, [example, id]) => all.replaceAll(example, id), text);
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation['parameters'].find((each: Json) => each['name'] === name && each['in'] === 'path');
    return encodeURIComponent(swap(String(parameter.example)));
  });
  const example = operation['requestBody']?.content['application/json'].example;
  const payload =
    example === undefined
      ? {}
      : { payload: swap(JSON.stringify(example)), headers: { 'content-type': 'application/json' } };
  const answer = await broker.app.inject({ method, url, ...payload });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}

for (const scheduler of schedulers) {
  test(`every example is a call that works, and the answer looks as described (${scheduler})`, async (t) => {
    const { broker, document } = await documented(t, scheduler, {});
    const { request_id } = await broker.broker.operations
      .find(({ name }) => name === 'create_selected_request')!
      .handle({ template_id: 'small', machine_count: 2, lease: 3_600 }, broker.broker.services, {});
    const machines = await broker.until(async () => {
      const { request, machines = [] } = await (
        await broker.broker.services.requestQueries.status(request_id, true)
      ).load();
      return request.status === 'completed' && machines;
    });
    const routes = routesOf(document);
    const examples = JSON.stringify(document);
    const [aRequest, aMachine] = [/req-[0-9a-f-]{36}/, /\bi-[0-9a-f]{17}/].map((id) => id.exec(examples)?.[0] ?? '');
    const real: Real = { [aRequest!]: request_id, [aMachine!]: machines[0]!.machine_id };
    // What takes away comes last: the machine, the template and the request that the others ask about.
    const last = ['create_return_request', 'delete_template', 'cancel_request'];
    const order = routes.toSorted(
      (a, b) => last.indexOf(a.operation['operationId']) - last.indexOf(b.operation['operationId']),
    );
    for (const route of order) {
      const { operationId, responses } = route.operation;
      // A stream is taken by a socket, which this way of calling has not.
      if (operationId === 'stream_request') continue;
      // A held machine is not returned.
      const held = { machine_ids: [real[aMachine!]], seconds: 0, reason: 'a test' };
      if (operationId === 'create_return_request') await broker.call('POST', '/machines/hold', held);
      // One that has ended is refused, so another is cancelled.
      const open = async () =>
        (await broker.call('POST', '/requests/', { template_id: 'small', machine_count: 1 })).body
          .request_id as string;
      const ids = operationId === 'cancel_request' ? { ...real, [aRequest!]: await open() } : real;
      const { status, headers, text } = await call(broker, route, ids);
      const success = Object.keys(responses).filter((each) => each.startsWith('2') || each === '501');
      t.true(success.includes(String(status)), `${operationId}: ${status} ${text}`);
      const response = responses[String(status)];
      for (const header of Object.keys(response.headers ?? {}))
        t.true(header.toLowerCase() in headers || header === 'X-Observed-At', `${operationId} has ${header}`);
      for (const header of status === 501
        ? []
        : Object.keys(headers).filter((name) => name.startsWith('x-ratelimit-')))
        t.true(
          Object.keys(response.headers).some((name) => name.toLowerCase() === header),
          `${operationId} tells ${header}`,
        );
      const json = response.content['application/json'];
      if (json)
        t.deepEqual(misfits(json.schema, JSON.parse(text), document, !open_.has(operationId)), [], operationId);
    }
  });
}

/** Their answers are open: what a process of the server adds to them is its own. */
const open_ = new Set(['info', 'openapi', 'call_operation']);

test('refusals look as described: bad input, and things that do not exist', async (t) => {
  const { broker, document } = await documented(t, 'default');
  const seen = new Set<number>();
  for (const { path, method, operation } of routesOf(document).filter(
    ({ operation }) => !operation['tags'].includes('Service'),
  )) {
    const example = operation['requestBody']?.content['application/json'].example;
    const url = path.replace(/\{\w+\}/g, 'nobody');
    const json = { headers: { 'content-type': 'application/json' } };
    const calls = [
      { method, url: `${url}?nonsense=1`, ...(example ? { payload: JSON.stringify(example), ...json } : {}) },
      { method, url, ...(example ? { payload: JSON.stringify(example), ...json } : {}) },
      ...(example
        ? [
            { method, url, payload: '{', ...json },
            { method, url, payload: 'a=1', headers: { 'content-type': 'text/plain' } },
          ]
        : []),
      ...(example
        ? [{ method, url, payload: JSON.stringify({ template_id: 'nobody', machine_count: 1 }), ...json }]
        : []),
    ];
    for (const each of calls) {
      const answer = await broker.app.inject(each);
      const response = operation['responses'][String(answer.statusCode)];
      t.truthy(response, `${method} ${each.url} answers ${answer.statusCode}: ${answer.body}`);
      t.deepEqual(
        misfits(response?.content['application/json'].schema, answer.json(), document, true),
        [],
        `${method} ${each.url}`,
      );
      seen.add(answer.statusCode);
    }
  }
  for (const status of [400, 404, 415, 501]) t.true(seen.has(status), String(status));
});
