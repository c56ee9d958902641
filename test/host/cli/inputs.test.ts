import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { BrokerError } from '../../../core/contract/errors.ts';
import { declarations, type DeclaredOperation } from '../../../host/cli/operations/declared-operations.ts';
import { renameInputs } from '../../../host/cli/operations/operation-commands.ts';
import { withFile } from '../../../host/cli/operations/file-inputs.ts';
import { optionsLast } from '../../../host/cli/options-last.ts';
import { readTexts, templateFields, UsageError } from '../../../host/cli/operations/read-texts.ts';
import { makePlace } from '../../support/boot-broker.ts';
import { runCli } from '../../support/run-cli.ts';

const named = (name: string): DeclaredOperation =>
  declarations().operations.find((each) => each.name === name) as DeclaredOperation;

const read: readonly (readonly [string, string, unknown[], Record<string, unknown>, Record<string, unknown>])[] = [
  ['numbers by their place', 'create_request', ['small', '3'], {}, { template_id: 'small', machine_count: 3 }],
  [
    'arguments as options, by an alias',
    'create_request',
    ['small'],
    { requestedCount: '3' },
    { template_id: 'small', machine_count: 3 },
  ],
  [
    'the same under two spellings',
    'create_request',
    ['small', '3'],
    { count: '3' },
    { template_id: 'small', machine_count: 3 },
  ],
  [
    'what is no number stays text for the check',
    'create_request',
    ['small', 'x'],
    {},
    { template_id: 'small', machine_count: 'x' },
  ],
  [
    'maps of texts stay texts',
    'create_request',
    [],
    { tags: ['a=1', 'b=c=d', '{"e":"f"}'] },
    { tags: { a: '1', b: 'c=d', e: 'f' } },
  ],
  [
    'maps of anything are read as JSON where they are some',
    'create_request',
    [],
    { additionalData: ['n=1', 's=x y', 'o={"a":[]}'] },
    { additional_data: { n: 1, s: 'x y', o: { a: [] } } },
  ],
  [
    'lists with commas, words and JSON',
    'create_return_request',
    [['a,b', 'c', '["d,e"]']],
    {},
    { machine_ids: ['a', 'b', 'c', 'd,e'] },
  ],
  ['an empty list of words is none', 'create_return_request', [[]], {}, {}],
  [
    'template fields as the template has them',
    'create_template',
    ['5'],
    { imageId: '7', description: '8' },
    { template_id: '5', image_id: '7', description: '8' },
  ],
];

for (const [name, operation, args, options, input] of read) {
  test(`inputs: ${name}`, (t) => t.deepEqual(readTexts(named(operation), args, options), input));
}

test('two spellings that differ, a pair without a value and broken JSON are usage errors that name the option', (t) => {
  const refused = (operation: string, args: unknown[], options: Record<string, unknown>) =>
    t.throws(() => readTexts(named(operation), args, options), { instanceOf: UsageError })?.message ?? '';
  t.regex(refused('create_request', ['small', '3'], { count: '4' }), /'machine_count' and '--count' are the same/);
  t.regex(refused('create_request', [], { tags: ['a'] }), /'--tags' takes key=value.*'a' is neither/);
  t.regex(refused('create_request', [], { tags: ['{a'] }), /'--tags' is not JSON/);
  t.regex(refused('create_return_request', [['[1']], {}), /'machine_ids' is not JSON/);
});

test('fields of a template are read as its schema has them, unknown ones as JSON or text, null takes one away', (t) => {
  const set = [
    'name=7',
    'max_instances=7',
    'subnet_ids=a,b',
    'tags.cost=5',
    'tags.team=x',
    'machine_types={"t3.small":1}',
    'fleet_type=instant',
    'key_name=null',
    'user_data=a=b',
  ];
  t.deepEqual(templateFields(set, '--set'), {
    name: '7',
    max_instances: 7,
    subnet_ids: ['a', 'b'],
    tags: { cost: '5', team: 'x' },
    machine_types: { 't3.small': 1 },
    fleet_type: 'instant',
    key_name: null,
    user_data: 'a=b',
  });
  t.throws(() => templateFields(['name'], '--set'), { instanceOf: UsageError, message: /'--set' takes field=value/ });
});

test('a file contains the template; the other options override it, and select one of several templates', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'muster-files-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'templates.yaml');
  writeFileSync(file, 'templates:\n  - { templateId: a, imageId: x }\n  - { template_id: b, maxNumber: 3 }\n');
  const create = named('create_template');
  t.deepEqual(await withFile(create, { template_id: 'b', image_id: 'y' }, { file, set: ['max_instances=4'] }), [
    { template_id: 'b', max_instances: 4, image_id: 'y' },
  ]);
  await t.throwsAsync(withFile(create, {}, { file }), { message: /has 2 templates \(a, b\); pass the id of one/ });
  t.is((await withFile(named('validate_template'), {}, { file })).length, 2);
  writeFileSync(file, 'template_id: a\n');
  await t.throwsAsync(withFile(named('update_template'), { template_id: 'b' }, { file }), {
    message: /contains the template 'a', not 'b'/,
  });
  t.deepEqual(await withFile(named('validate_provider_configuration'), {}, { file }), [
    { providers: { template_id: 'a' } },
  ]);
});

test('a file of HostFactory’s providers is read as the server reads it, with a warning for each key without effect', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const file = join(place.directory, 'awsprov_templates.json');
  const config = ['--config', join(place.directory, 'muster.config.json')];
  const entry = {
    templateId: 'Template-VM-1',
    maxNumber: 3,
    vmType: 't3.small',
    imageId: 'ami-27a1',
    subnetId: 'subnet-b573',
  };
  const put = (...entries: object[]) => writeFileSync(file, JSON.stringify({ templates: entries }, null, 1));
  put({
    ...entry,
    securityGroupIds: [''],
    instanceTags: 'group=project1',
    userData: 'zone=us_west_2a',
    durationInHours: 2,
  });
  const valid = await runCli(['templates', 'validate', '--file', file, ...config, '-o', 'json']);
  t.is(valid.code, 0, valid.out + valid.err);
  const { validationWarnings } = JSON.parse(valid.out);
  t.deepEqual(
    validationWarnings.filter((said: string) => /unknown field/.test(said)),
    ['/durationInHours: unknown field, kept as it is'],
  );
  t.regex(
    valid.err,
    /^muster: warning: .*awsprov_templates\.json:\d+:\d+ \/templates\/0\/durationInHours: has no effect here/,
  );
  put(entry, { ...entry, templateId: 7 });
  const wrong = await runCli(['templates', 'validate', '--file', file, ...config]);
  t.is(wrong.code, 4);
  t.regex(wrong.err, /awsprov_templates\.json:\d+:\d+ \/templates\/1\/templateId: must be a string/);
  put(entry);
  t.is((await runCli(['templates', 'create', 'mine', '--file', file, ...config])).code, 0);
  const { template } = JSON.parse((await runCli(['templates', 'show', 'mine', ...config, '-o', 'json'])).out);
  t.like(template, {
    machine_type: 't3.small',
    max_instances: 3,
    subnet_ids: ['subnet-b573'],
    provider_api: 'RunInstances',
  });
});

test('a file that is missing or invalid is reported with its line', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'muster-files-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const missing = await runCli(['templates', 'validate', '--file', join(directory, 'none.json')]);
  t.is(missing.code, 3);
  t.regex(missing.err, /none\.json does not exist/);
  writeFileSync(join(directory, 'broken.json'), '{\n  "a": }\n');
  const broken = await runCli(['providers', 'validate', '--file', join(directory, 'broken.json')]);
  t.is(broken.code, 4);
  t.regex(broken.err, /broken\.json:2:8: /);
});

const usage: readonly (readonly [string[], RegExp])[] = [
  [['templats', 'list'], /unknown command 'templats'.*Did you mean templates/s],
  [['templates', 'lst'], /Did you mean list/],
  [['templates', 'list', '--outptu', 'json'], /Did you mean --output/],
  [['--outptu', 'json', 'templates', 'list'], /unknown option '--outptu'.*Did you mean --output/s],
  [['--url'], /'--url' has no command after it/],
  [['help', 'templats'], /unknown command 'templats'.*Did you mean templates/s],
  [['templats', '--help'], /unknown command 'templats'.*Did you mean templates/s],
  [['templates', 'help', 'lst'], /unknown command 'lst'.*Did you mean list/s],
  [['plugin', 'list'], /Did you mean plugins/],
  [['templates', 'list', '--output', 'xml'], /Allowed choices are table, json, yaml/],
  [['requests', 'create', 'small'], /missing required argument 'machine_count'/],
  [['providers', 'validate-env', 'cloud'], /missing required option '--environment-variables'/],
  [['requests', 'list', '--status', 'done'], /Allowed choices are pending/],
  [['machines', 'return'], /missing required argument 'machine_ids'/],
  [['machines', 'return', '--all'], /add --force/],
  [['requests', 'return', '--all'], /add --force/],
  [['machines', 'return', 'i-1', '--all', '--force'], /--all replaces machine ids/],
  [['machines', 'return-all'], /add --force/],
  [['requests', 'create', 'small', '1', '--wait-timeout', '-1'], /seconds above 0/],
  [['requests', 'create', 'small', '1', 'more'], /too many arguments/],
];

for (const [args, said] of usage) {
  test(`\`muster ${args.join(' ')}\` is a usage error`, async (t) => {
    const { code, out, err } = await runCli(args);
    t.is(code, 2);
    t.is(out, '');
    t.regex(err, said);
  });
}

test('options of every operation may precede the command', (t) => {
  t.deepEqual(
    optionsLast([
      'n',
      'm',
      '--no-server',
      '--url',
      'U',
      '-o',
      'json',
      '--config=c',
      'requests',
      'list',
      '--limit',
      '1',
    ]),
    ['n', 'm', 'requests', 'list', '--no-server', '--url', 'U', '-o', 'json', '--config=c', '--limit', '1'],
  );
  t.deepEqual(optionsLast(['n', 'm', '-o', 'json', 'requests', '--url=U', 'list', 'x']), [
    'n',
    'm',
    'requests',
    'list',
    '-o',
    'json',
    '--url=U',
    'x',
  ]);
  t.deepEqual(optionsLast(['n', 'm', 'requests', 'list']), ['n', 'm', 'requests', 'list']);
  t.deepEqual(optionsLast(['n', 'm', '--url']), ['n', 'm', '--url']);
});

test('help has examples for every group, and the exit codes', async (t) => {
  for (const group of ['templates', 'requests', 'machines', 'providers', 'config', 'plugins', 'server']) {
    const { code, out } = await runCli([group, '--help']);
    t.is(code, 0);
    t.regex(out, new RegExp(`Examples:\n  muster ${group} `), group);
  }
  t.regex((await runCli(['--help'])).out, /Exit codes:\n  0 .*\n  6 /s);
});

test('what belongs to the foreground is not started in the background', async (t) => {
  for (const option of ['--reload', '--api-only']) {
    const { code, err } = await runCli(['server', 'start', option]);
    t.is(code, 2);
    t.regex(err, new RegExp(`'${option}' needs --foreground`));
  }
});

test('a refusal speaks of inputs as the command line calls them', (t) => {
  const named = (message: string) =>
    (renameInputs(new BrokerError('INVALID_REQUEST', message), createRequest) as Error).message;
  const createRequest = declarations().operations.find(({ name }) => name === 'create_request') as DeclaredOperation;
  t.is(
    named('/machine_count: must be >= 1; /timeout: must be an integer'),
    'machine_count: must be >= 1; --timeout: must be an integer',
  );
  t.is(named('/tags/a: must be a string'), '--tags/a: must be a string');
  t.is(named('/subnet_ids: must be a list'), '/subnet_ids: must be a list', 'what is no input stays');
});
