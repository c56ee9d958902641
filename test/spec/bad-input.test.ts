import test from 'ava';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { codes } from '../../core/contract/errors.ts';
import { kinds, type Kind } from '../../core/model/kinds.ts';
import type { BootedBroker } from '../support/boot-broker.ts';
import { callOf, type Call, type Route } from './bad-input-arbitraries.ts';
import { specBroker } from './spec-broker.ts';

/** The same cases each time; another seed finds others. A failure tells seed and path. */
const seed = Number(process.env['MUSTER_TEST_SEED'] ?? 20_260_101);
const patienceMs = 5_000;

/** What is stored, cheaply: how much of each kind, and the versions of what has some. */
async function digest({ broker: { store, services } }: BootedBroker): Promise<string> {
  const counts = await Promise.all((Object.keys(kinds) as Kind[]).map((kind) => store.count(kind, {})));
  const [requests, templates] = await Promise.all([store.versions({}), store.find('template', {})]);
  const versions = [...requests, ...templates].reduce((sum, { version }) => sum + version, 0);
  return JSON.stringify([counts, versions, services.templateLibrary.cacheStats.templates]);
}

async function inject({ app }: BootedBroker, call: Call) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The call was not answered in time.')), patienceMs);
  });
  const answer = await Promise.race([app.inject({ ...call, method: call.method as 'GET' }), late]);
  clearTimeout(timer);
  return answer;
}

const refusals = new Set<number>(
  [...Object.values(codes).map(({ status }) => status), 431].filter((status) => status < 500 || status === 501),
);

/** Routes of the multi-provider operations: their failures are error objects, those of all others details. */
const coded = new Set([
  'POST /providers/{provider_name}/check',
  'GET /providers/',
  'GET /providers/health',
  'GET /providers/metrics',
  'GET /providers/orphans',
  'POST /providers/orphans/end',
  'GET /providers/{provider_name}',
  'GET /providers/{provider_name}/capabilities',
  'GET /providers/{provider_name}/discover',
  'POST /providers/validate',
  'POST /providers/validate-env',
  'POST /providers/select',
  'POST /templates/{template_id}/validate',
  'POST /templates/{template_id}/validate-multi',
  'POST /requests/',
  'POST /requests/plan',
  'GET /requests/{request_id}/provider',
]);
const formOf = ({ method, path }: Route['rest']) =>
  coded.has(`${method} ${path}`) || path.startsWith('/operations/') ? 'error' : 'detail';

const asksProvider = new Set(['check_provider', 'discover_provider']);

/** What is wrong with the answer to a call; nothing: undefined. */
function wrongWith(
  { broker }: BootedBroker,
  { operation, rest }: Route,
  call: Call,
  status: number,
  body: string,
): string | undefined {
  // This broker runs no loop, which asks providers.
  if (asksProvider.has(operation.name) && status === 503 && /runs no loop/.test(body)) return undefined;
  if (status === 503 || (status >= 500 && status !== 501)) return `${status}: ${body}`;
  const parsed: any = JSON.parse(body);
  if (status < 300) {
    if (call.method !== rest.method || !onItsPath(call, rest.path)) return undefined;
    if (status !== (rest.status ?? 200)) return `${status} instead of ${rest.status ?? 200}`;
    const validator = Compile(broker.rendering.schema(operation));
    return validator.Check(parsed)
      ? undefined
      : `not as ${operation.name} declares: ${JSON.stringify(validator.Errors(parsed).slice(0, 3))}`;
  }
  if (!refusals.has(status)) return `an undecided status ${status}`;
  const detail =
    Object.keys(parsed).toSorted().join() === 'code,detail' &&
    typeof parsed.code === 'string' &&
    typeof parsed.detail === 'string' &&
    parsed.detail !== '';
  if (detail)
    return formOf(rest) === 'error' && status === 400 && call.method === rest.method && onItsPath(call, rest.path)
      ? 'a detail on a route of error objects'
      : undefined;
  const { error, ...others } = parsed;
  const fields = error && Object.keys(error).toSorted().join();
  if (Object.keys(others).length > 0 || fields !== 'code,details,message,request_id,timestamp')
    return `no declared form: ${body}`;
  if (!(error.code in codes) || codes[error.code as keyof typeof codes].status !== status)
    return `${error.code} with ${status}`;
  return formOf(rest) === 'error' || call.method !== rest.method || !onItsPath(call, rest.path)
    ? undefined
    : 'an error object on a route of details';
}

/** A failure, short enough to be read. */
function told(error: unknown, call: Call | undefined, where: string): string {
  const { method, url = '', headers, payload } = call ?? {};
  const cut = (text: string) => (text.length > 150 ? `${text.slice(0, 150)}… (${text.length})` : text);
  return [
    where,
    error instanceof Error ? cut(error.message) : '',
    `${method} ${cut(url)}`,
    cut(JSON.stringify(headers)),
    cut(String(payload)),
  ].join('\n');
}

/** Strange parameters may make another path of it, or none. */
const onItsPath = ({ url }: Call, path: string): boolean => {
  const given = (url.split('?', 1)[0] ?? '').split('/').slice(3);
  const own = path.split('/').slice(1);
  const plain = /^[\w.-]{2,250}$/;
  return (
    given.length === own.length &&
    own.every((step, i) =>
      step.startsWith('{') ? plain.test(given[i] ?? '') && given[i] !== '..' : step === given[i],
    )
  );
};

for (const [scheduler, numRuns] of [
  ['default', Number(process.env['MUSTER_TEST_RUNS'] ?? 500)],
  ['hostfactory', 300],
] as const) {
  test(`any call of any route is answered in a declared form, and what is refused changes nothing (${scheduler})`, async (t) => {
    const broker = await specBroker({ scheduler });
    t.teardown(() => broker.close());
    const own = broker.broker.operations.flatMap((operation) =>
      [operation.rest ?? []].flat().map((rest) => ({ operation, rest })),
    );
    // Every operation under its name answers in our own words, which under this scheduler are the route's.
    const named = broker.broker.operations.map((operation) => ({
      operation,
      rest: { method: 'POST', path: `/operations/${operation.name}`, errors: 'error' } as const,
    }));
    const routes = scheduler === 'default' ? [...own, ...named] : own;
    t.true(routes.length > 20);
    const seen = new Map<number, number>();
    const empty = await digest(broker);
    await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
    t.not(await digest(broker), empty, 'a change shows');
    let before = await digest(broker);
    const property = fc.asyncProperty(callOf(routes, '/api/v1'), async ({ route, call }) => {
      const { statusCode: status, body } = await inject(broker, call);
      const after = await digest(broker);
      const wrong = wrongWith(broker, route, call, status, body);
      if (wrong) throw new Error(wrong);
      if ((status >= 400 || call.method === 'GET') && after !== before)
        throw new Error(`${status} changed ${before} to ${after}`);
      before = after;
      seen.set(status, (seen.get(status) ?? 0) + 1);
    });
    const { failed, counterexamplePath, counterexample, errorInstance } = await fc.check(property, {
      seed,
      numRuns,
      endOnFailure: true,
    });
    if (failed)
      return t.fail(told(errorInstance, counterexample?.[0].call, `seed ${seed}, path ${counterexamplePath}`));
    // Otherwise the cases would say nothing.
    for (const status of [200, 400, 404])
      t.true((seen.get(status) ?? 0) > 0, `${status} among ${JSON.stringify([...seen])}`);
  });
}

const always: readonly (readonly [string, string, string])[] = [
  ['a prototype key', '{"template_id":"small","machine_count":1,"__proto__":{"polluted":1}}', '__proto__'],
  [
    'a constructor',
    '{"template_id":"small","machine_count":1,"constructor":{"prototype":{"polluted":1}}}',
    'constructor',
  ],
  [
    'nesting of 100 levels',
    `{"template_id":"small","machine_count":1,"additional_data":{"a":${'['.repeat(100)}${']'.repeat(100)}}}`,
    'nested',
  ],
  ['nesting of 100 000 levels', `{"additional_data":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`, 'nested'],
  [
    'a key twice with different values, the last of which is wrong',
    '{"template_id":"small","machine_count":1,"machine_count":"x"}',
    'machine_count',
  ],
];
for (const [what, payload, hint] of always) {
  test(`${what} is refused on every route that takes such a body, and nothing is polluted`, async (t) => {
    const broker = await specBroker();
    t.teardown(() => broker.close());
    const before = await digest(broker);
    for (const path of ['/machines/request', '/requests/']) {
      const { status, body } = await broker.call('POST', path, payload);
      t.is(status, 400);
      t.true(JSON.stringify(body).includes(hint));
    }
    t.is(await digest(broker), before);
    t.false('polluted' in {});
  });
}

test('a huge list is refused by its length, or taken', async (t) => {
  const broker = await specBroker();
  t.teardown(() => broker.close());
  const machine_ids = Array.from({ length: 40_000 }, (_, i) => `i-${i}`);
  const many = await broker.call('POST', '/machines/return', { machine_ids });
  t.is(many.status, 400);
  t.regex(many.body.detail, /^\/machine_ids: /);
  const unknown = await broker.call('POST', '/machines/return', { machine_ids: machine_ids.slice(0, 10_000) });
  t.is(unknown.status, 404);
  const names = await broker.call('POST', '/templates/small/validate-multi', {
    provider_instances: machine_ids.slice(0, 1_000),
  });
  t.is(names.status, 200);
});
