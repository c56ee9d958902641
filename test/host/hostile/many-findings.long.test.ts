import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';

const fields = (count: number, prefix = 'reg') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 0]));
const untold = (count: number) => `at least ${count} more findings are not shown`;

test('of a body with thousands of unknown fields a hundred are reported, with the number of the others', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  const { status, body } = await broker.call('POST', '/machines/request', {
    template_id: 'small',
    machine_count: 1,
    ...fields(14_000),
  });
  t.is(status, 400);
  t.is(body.detail.split('; ').filter((each: string) => each.startsWith('/reg')).length, 100);
  t.true(body.detail.endsWith(untold(13_900)));
  const operation = await broker.call('POST', '/operations/list_machines', fields(14_000));
  t.is(operation.body.error.details.findings.length, 101);
  t.deepEqual(operation.body.error.details.findings.at(-1), { path: '', message: untold(13_900) });
  const entries = await broker.call('POST', '/machines/return', {
    machine_ids: Array.from({ length: 10_000 }, () => 0),
  });
  t.true(entries.body.detail.split('; ').length <= 102);
});

test('of a thousand provider entries with thousands of mistakes a hundred mistakes are reported, and for every entry whether it is valid', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  const wrong = {
    type: 'cloud',
    config: { region: 'us-east-1', ...fields(2) },
    template_defaults: fields(2),
    ...fields(2),
  };
  const providers = Array.from({ length: 1_000 }, (_, i) => ({ name: `p${i}`, ...wrong }));
  const right = { name: 'right', type: 'cloud', config: { region: 'us-east-1' } };
  const { status, body } = await broker.call('POST', '/providers/validate', {
    providers: [...providers.slice(1), right],
  });
  t.is(status, 200);
  const said: string[] = body.providers.flatMap(({ errors, warnings }: { errors: string[]; warnings: string[] }) => [
    ...errors,
    ...warnings,
  ]);
  t.is(said.filter((each) => !each.endsWith('not shown')).length, 100);
  t.is(body.providers.length, 1_000);
  t.true(
    body.providers
      .slice(0, -1)
      .every(({ valid, errors }: { valid: boolean; errors: string[] }) => !valid && errors.length > 0),
  );
  t.deepEqual(body.providers.at(-1), { name: 'right', valid: true, errors: [], warnings: [] });
});

test('a template with thousands of unknown fields has a hundred warnings, checked and stored', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  const template = {
    template_id: 'wide',
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  };
  const { body } = await broker.call('POST', '/templates/validate', { ...template, ...fields(900) });
  t.true(body.valid);
  t.is(body.validationWarnings.length, 101);
  t.is(body.validationWarnings.at(-1), untold(800));
  t.is((await broker.call('POST', '/templates/', { ...template, ...fields(900) })).status, 201);
  const { body: wider } = await broker.call('POST', '/templates/validate', { ...template, ...fields(5_000) });
  t.deepEqual(wider.validationErrors, ['The template has 5005 fields, more than the maximum of 1000']);
  t.is((await broker.call('PUT', '/templates/wide', fields(5_000))).status, 400);
  const selected = await broker.call('POST', '/providers/select', { template: fields(5_000) });
  t.is(selected.body.error.message, '/template: The template has 5000 fields, more than the maximum of 1000');
  const stored = await broker.call('POST', '/templates/refresh', {});
  t.true(stored.body.cacheStats.warnings.length <= 101);
});

test('of thousands of unknown environment variables each is named as ignored, and a hundred are warned of', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  const environment_variables = Object.fromEntries(
    Array.from({ length: 14_000 }, (_, i) => [`MUSTER_CLOUD_REGIO${i}`, 'x']),
  );
  const { body } = await broker.call('POST', '/providers/validate-env', {
    provider_type: 'cloud',
    environment_variables,
  });
  t.is(body.environment_variables.ignored.length, 14_000);
  t.is(body.warnings.length, 101);
  t.is(body.warnings.at(-1), untold(13_900));
});

test('a body with more fields and entries than any call needs is refused before it is read; a template in a test selection has the same bounds as a stored one', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  const many = `{"machine_ids":[${'0,'.repeat(60_000)}0]}`;
  const refused = await broker.call('POST', '/machines/return', many);
  t.is(refused.status, 400);
  t.is(refused.body.detail, 'The body has more than 15000 fields or 50000 entries.');
  // Commas and colons in a text are none.
  const text = await broker.call('POST', '/machines/return', {
    machine_ids: [',:'.repeat(100)],
    reason: ',:'.repeat(60_000),
  });
  t.regex(text.body.detail, /unknown field/);
  const large = await broker.call('POST', '/providers/select', {
    template: { provider_api: 'RunInstances', user_data: 'x'.repeat(300_000) },
  });
  t.is(large.status, 400);
  t.is(large.body.error.code, 'TEMPLATE_INVALID');
});

test('a provider type that is an address or a path is an unknown one', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  for (const type of ['file://elsewhere/x', '/etc/passwd', './x', 'file:'])
    t.is((await broker.call('POST', '/providers/validate', { providers: [{ name: 'x', type }] })).status, 200, type);
});
