import test from 'ava';
import { fallbackOrder, noCandidates } from '../../../../core/reconciler/plan/orders/fallback-order.ts';
import type { RequestRecord } from '../../../../core/index.ts';
import type { ProviderDirectory } from '../../../../core/providers/directory.ts';
import { offerShortfallFact } from '../../../../core/providers/facts.ts';
import { requestOf } from '../../../support/records.ts';
import { apiOf, directoryOf, instanceOf } from '../../../support/directory-of.ts';

const apis = [apiOf('Large', 1_000), apiOf('Small', 5)];
const names = (directory: ProviderDirectory, fields: Partial<RequestRecord> = {}) =>
  fallbackOrder(requestOf(fields), directory).options.map(
    ({ provider_instance, api }) => `${provider_instance} ${api}`,
  );
const out = (directory: ProviderDirectory, fields: Partial<RequestRecord> = {}) =>
  fallbackOrder(requestOf(fields), directory).out.map(({ name, code }) => [name, code]);

test('the order is that of the selection, with the selected instance first', async (t) => {
  const { directory } = await directoryOf(
    [instanceOf('third', { priority: 3 }), instanceOf('first'), instanceOf('second', { priority: 2 })],
    apis,
  );
  t.deepEqual(names(directory), ['first Large', 'second Large', 'third Large']);
  t.deepEqual(names(directory, { selected_instance: 'third' }), ['third Large', 'first Large', 'second Large']);
});

test('instances of equal priority are distributed by the request id only', async (t) => {
  const equals = ['a', 'b', 'c'].map((name) => instanceOf(name));
  const [one, other] = [await directoryOf(equals, apis), await directoryOf(equals.toReversed(), apis)];
  const orders = Array.from({ length: 30 }, (_, i) => names(one.directory, { request_id: `req-${i}` }));
  t.deepEqual(
    orders,
    Array.from({ length: 30 }, (_, i) => names(other.directory, { request_id: `req-${i}` })),
  );
  t.is(new Set(orders.map(([first]) => first)).size, 3);
});

test('an explicit selection has the named instance only, also when it is not configured', async (t) => {
  const { directory } = await directoryOf([instanceOf('east'), instanceOf('west', { weight: 0 })], apis);
  t.deepEqual(names(directory, { preference: { provider_instance: 'west' } }), ['west Large']);
  t.deepEqual(names(directory, { template: { template_id: 'small', provider_name: 'east' } }), ['east Large']);
  const gone = { preference: { provider_instance: 'north' } };
  t.deepEqual(names(directory, gone), []);
  t.deepEqual(out(directory, gone), [['north', 'PROVIDER_NOT_FOUND']]);
});

test('instances that cannot serve are rejected, each with its reason', async (t) => {
  const strict = apiOf('Strict', 1_000, () => [{ level: 'error', path: '/image_id', message: 'is required' }]);
  const { directory } = await directoryOf(
    [
      instanceOf('off', { enabled: false }),
      instanceOf('idle', { weight: 0 }),
      instanceOf('little', { limits: { max_instances_per_request: 2, max_concurrent_requests: null } }),
      instanceOf('narrow', { template_defaults: { provider_api: 'Small' } }),
      instanceOf('bounded', { template_defaults: { max_instances: 5 } }),
      instanceOf('lost', { template_defaults: { provider_api: 'None' } }),
      instanceOf('strict', { template_defaults: { provider_api: 'Strict' } }),
      instanceOf('good'),
    ],
    [...apis, strict],
  );
  const request = { machine_count: 6 };
  t.deepEqual(names(directory, request), ['good Large']);
  t.deepEqual(out(directory, request), [
    ['off', 'PROVIDER_DISABLED'],
    ['idle', 'WEIGHT_ZERO'],
    ['little', 'INSTANCE_LIMIT_EXCEEDED'],
    ['narrow', 'INSTANCE_LIMIT_EXCEEDED'],
    ['bounded', 'INSTANCE_LIMIT_EXCEEDED'],
    ['lost', 'API_NOT_SUPPORTED'],
    ['strict', 'TEMPLATE_INVALID'],
  ]);
  const [said] = noCandidates(fallbackOrder(requestOf(request), directory).out);
  t.regex(
    said?.message ?? '',
    /'off': it is disabled; .*'strict': its API cannot honor the template: \/image_id: is required\.$/,
  );
});

test('an instance that does not answer comes last, and first again when it answers', async (t) => {
  const { directory, facts } = await directoryOf([instanceOf('east'), instanceOf('west', { priority: 2 })], apis);
  const request = { selected_instance: 'east' };
  await facts.learnHealth('east', { status: 'unhealthy' });
  t.deepEqual(names(directory, request), ['west Large', 'east Large']);
  await facts.learnHealth('east', { status: 'healthy' });
  t.deepEqual(names(directory, request), ['east Large', 'west Large']);
});

test('each instance has its own layer and defaults, and its offers without capacity', async (t) => {
  const { directory, facts, clock } = await directoryOf(
    [
      instanceOf('east', { template_defaults: { key_name: 'ops', image_id: 'ami-2' } }),
      instanceOf('west'),
      instanceOf('north'),
    ],
    apis,
  );
  const variants = {
    east: { template_id: 'small', image_id: 'ami-1' },
    west: { template_id: 'small', provider_api: 'Small' },
  };
  const shortage = { kind: 'capacity', code: 'None', message: 'None.' } as const;
  const memory = { offer_memory_ms: 180_000, offer_probe_ms: 15_000 };
  await facts.learn([
    offerShortfallFact({ instance: 'west', api: 'Small', offer: 'a' }, shortage, clock.now(), memory),
  ]);
  const { options } = fallbackOrder(requestOf({ variants, selected_instance: 'east' }), directory);
  t.deepEqual(
    options.map(({ provider_instance, api, template, offers, shortfalls }) => [
      provider_instance,
      api,
      template,
      offers?.map(({ key }) => key),
      [...shortfalls].map(([key, { tried_again_at }]) => [key, tried_again_at - clock.now()]),
    ]),
    [
      ['east', 'Large', { template_id: 'small', image_id: 'ami-1', key_name: 'ops' }, ['a', 'b'], []],
      ['west', 'Small', { template_id: 'small', provider_api: 'Small' }, ['a', 'b'], [['a', 15_000]]],
    ],
  );
});

test('a quarantined instance is not asked for offers and stays in the order', async (t) => {
  const deadly = {
    ...apiOf('Deadly', 1_000, () => {
      throw new Error('It was asked for a review.');
    }),
    offers: () => {
      throw new Error('It was asked for its offers.');
    },
  };
  const { directory } = await directoryOf([instanceOf('east')], [deadly], ['east']);
  const { options } = fallbackOrder(requestOf(), directory);
  t.like(options, { length: 1, 0: { provider_instance: 'east', offers: undefined, trouble: undefined } });
});
