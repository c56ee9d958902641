import { join } from 'node:path';
import test from 'ava';
import { readVariables, resolve, type Environment } from '../../config/sources/environment.ts';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { ServerSection } from '../../config/schema.ts';

const [plugin] = await loadPlugins(['./acme'], { cwd: join(import.meta.dirname, 'fixtures') });
const acme = plugin?.providers?.[0];
if (!acme) throw new Error('the fixture brings a provider type');

const leaves: readonly (readonly [string, Environment, unknown])[] = [
  ['text', { MUSTER_ACME_REGION: 'there' }, { region: 'there' }],
  ['text that looks like a number', { MUSTER_ACME_TOKEN: '123' }, { token: '123' }],
  ['a whole number', { MUSTER_ACME_MAX_RETRIES: '7' }, { max_retries: 7 }],
  ['a number', { MUSTER_ACME_RATIO: '0.25' }, { ratio: 0.25 }],
  ['null where it is allowed', { MUSTER_ACME_PROXY_PORT: 'null' }, { proxy_port: null }],
  ['a switch, nested', { MUSTER_ACME_HANDLERS__FAST_BOOT: 'false' }, { handlers: { fast_boot: false } }],
  ['a switch as a digit', { MUSTER_ACME_HANDLERS__SLOW_BOOT: '0' }, { handlers: { slow_boot: false } }],
  ['an object as JSON', { MUSTER_ACME_HANDLERS: '{"fast_boot":false}' }, { handlers: { fast_boot: false } }],
  [
    'a nested variable over the JSON of its parent',
    { MUSTER_ACME_HANDLERS__FAST_BOOT: 'true', MUSTER_ACME_HANDLERS: '{"fast_boot":false,"slow_boot":false}' },
    { handlers: { fast_boot: true, slow_boot: false } },
  ],
  [
    'an object as JSON in camelCase',
    { MUSTER_ACME_HANDLERS: '{"fastBoot":false}' },
    { handlers: { fast_boot: false } },
  ],
  [
    'a nested variable over the JSON of its parent in camelCase',
    { MUSTER_ACME_HANDLERS__FAST_BOOT: 'true', MUSTER_ACME_HANDLERS: '{"fastBoot":false,"slow_boot":false}' },
    { handlers: { fast_boot: true, slow_boot: false } },
  ],
  ['a free map as JSON', { MUSTER_ACME_LABELS: '{"teamName":"a"}' }, { labels: { teamName: 'a' } }],
  ['a list with commas', { MUSTER_ACME_ZONES: 'a, b' }, { zones: ['a', 'b'] }],
  ['a list as JSON', { MUSTER_ACME_ZONES: '["a","b"]' }, { zones: ['a', 'b'] }],
  ['an empty text as not set', { MUSTER_ACME_REGION: '' }, {}],
];
for (const [title, environment, tree] of leaves) {
  test(`a variable is read by its schema: ${title}`, (t) => {
    t.deepEqual(readVariables(acme.config, 'MUSTER_ACME_', environment).tree, tree as Record<string, unknown>);
  });
}

test('nested fields of a section are set the same way', (t) => {
  const read = readVariables(ServerSection, 'MUSTER_SERVER_', {
    MUSTER_SERVER_RATE_LIMIT__ENABLED: 'false',
    MUSTER_SERVER_PORT: '9000',
  });
  t.deepEqual(read.tree, { port: 9000, rate_limit: { enabled: false } });
  t.is(read.names.get('/rate_limit/enabled'), 'MUSTER_SERVER_RATE_LIMIT__ENABLED');
});

test('resolving a provider type says which variables were recognised, ignored and invalid', (t) => {
  const resolution = resolve(acme, {
    MUSTER_ACME_REGION: 'there',
    MUSTER_ACME_MAX_RETRIES: '99',
    MUSTER_ACME_PROXY_PORT: 'many',
    MUSTER_ACME_HANDLERS: 'not json',
    MUSTER_ACME_LEVEL: 'middle',
    MUSTER_ACME_REGOIN: 'typo',
    MUSTER_ACME_HANDLERS__FAST_BOOT: 'false',
    HOME: '/root',
  });
  t.deepEqual(resolution.recognized, ['MUSTER_ACME_HANDLERS__FAST_BOOT', 'MUSTER_ACME_REGION']);
  t.deepEqual(resolution.ignored, ['MUSTER_ACME_REGOIN', 'HOME']);
  t.deepEqual(resolution.invalid, [
    'MUSTER_ACME_HANDLERS',
    'MUSTER_ACME_LEVEL',
    'MUSTER_ACME_MAX_RETRIES',
    'MUSTER_ACME_PROXY_PORT',
  ]);
  t.true(resolution.errors.includes('MUSTER_ACME_MAX_RETRIES: must be <= 10'));
  t.true(resolution.errors.includes('MUSTER_ACME_LEVEL: must be one of low, high'));
  t.deepEqual(resolution.warnings, ['MUSTER_ACME_REGOIN: no field has this name; did you mean MUSTER_ACME_REGION?']);
  t.is(resolution.resolved['region'], 'there');
  t.is(resolution.resolved['max_retries'], 3);
  t.deepEqual(resolution.resolved['handlers'], { fast_boot: false, slow_boot: true });
});

test('an empty environment resolves to the defaults', (t) => {
  const { resolved, recognized, errors } = resolve(acme, {});
  t.deepEqual([resolved['region'], resolved['account_name'], resolved['level']], ['here', null, 'low']);
  t.deepEqual([recognized, errors], [[], []]);
});

test('two spellings of a field in one JSON text that say different things are invalid', (t) => {
  const { invalid, tree } = readVariables(acme.config, 'MUSTER_ACME_', {
    MUSTER_ACME_HANDLERS: '{"fastBoot":false,"fast_boot":true}',
  });
  t.deepEqual(tree, {});
  t.deepEqual(
    invalid.map(({ variable }) => variable),
    ['MUSTER_ACME_HANDLERS'],
  );
  t.regex(invalid[0]?.message ?? '', /'fastBoot' and 'fast_boot' are the same field/);
});
