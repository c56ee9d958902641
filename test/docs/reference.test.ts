import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { EnvironmentVariables } from '../../config/sources/variables.ts';
import { ConfigurationFile } from '../../config/schema.ts';
import { codes, type Code } from '../../core/contract/errors.ts';
import { faultKinds, ownFaultCodes } from '../../core/contract/fault.ts';
import { commonTemplateFields } from '../../core/model/template.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { operations as registered } from '../../core/operations/registry.ts';
import { rejections } from '../../core/selection/candidate.ts';
import { builtInPlugins } from '../../scripts/pages/configuration.ts';

const operations: readonly Operation<any, any>[] = registered;
const root = join(import.meta.dirname, '../..');
const page = (name: string): string => readFileSync(join(root, `docs/reference/${name}.md`), 'utf8');

test('the reference of errors has every code and every kind of fault', (t) => {
  const made = page('errors');
  for (const code of Object.keys(codes)) t.true(made.includes(`\n### ${code}\n`), code);
  for (const kind of faultKinds) t.true(made.includes(`\n| \`${kind}\` |`), kind);
});

test('the guide to failed requests has every kind of fault, every code of muster itself and every reason against an instance', (t) => {
  const guide = readFileSync(join(root, 'docs/guides/why-did-my-request-fail.md'), 'utf8');
  for (const kind of faultKinds) t.regex(guide, new RegExp(`^### ${kind}:`, 'm'), kind);
  for (const code of [...Object.keys(ownFaultCodes), ...Object.keys(rejections)])
    t.true(guide.includes(`\`${code}\``), code);
  const refusals = operations.find(({ name }) => name === 'create_request')?.refusals ?? [];
  for (const code of ['INVALID_REQUEST', ...refusals]) t.true(guide.includes(`\`${code}\``), code);
});

test('every code that the core gives a fault or a shortfall by itself is in its table', (t) => {
  const sources = globSync('core/{reconciler,providers}/**/*.ts', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  const used = sources.flatMap((text) => [...text.matchAll(/\bcode: '([A-Z_]+)'/g)].map(([, code = '']) => code));
  t.deepEqual([...new Set(used)].toSorted(), Object.keys(ownFaultCodes).toSorted());
});

test('the reference of operations has every operation', (t) => {
  const made = page('operations');
  for (const { name } of operations) t.true(made.includes(`\n## ${name}\n`), name);
});

/** Inputs that name one thing, and the refusal when there is no such thing. */
const names: Readonly<Record<string, Code>> = {
  request_id: 'REQUEST_NOT_FOUND',
  machine_id: 'MACHINE_NOT_FOUND',
  template_id: 'TEMPLATE_NOT_FOUND',
  provider_name: 'PROVIDER_NOT_FOUND',
};

test('an operation that is about one thing says that it may not exist', (t) => {
  for (const { name, input, refusals = [] } of operations)
    for (const field of (input['required'] ?? []) as string[])
      if (names[field] && name !== 'create_template') t.true(refusals.includes(names[field]), `${name}: ${field}`);
});

type Json = Readonly<Record<string, any>>;

/** Every path below a schema, those inside lists too, with its field. */
function* fieldsOf(schema: Json, at: string): Generator<readonly [string, Json]> {
  for (const each of [schema, ...(schema['anyOf'] ?? [])])
    for (const [name, field] of Object.entries((each['properties'] ?? {}) as Record<string, Json>)) {
      yield [`${at}${name}`, field];
      yield* fieldsOf(field, `${at}${name}.`);
      yield* fieldsOf(field['items'] ?? {}, `${at}${name}[].`);
    }
}

test('the reference has every key of the configuration, of the built-in plugins and of templates with its meaning, and marks secrets', async (t) => {
  const plugins = await builtInPlugins();
  const made = page('configuration');
  const rows = made.split('\n').filter((line) => line.startsWith('| `'));
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const all: (readonly [string, Json])[] = [
    ...fieldsOf(ConfigurationFile, ''),
    ...plugins.flatMap(({ storages = [] }) => storages.flatMap(({ options }) => [...fieldsOf(options, 'storage.')])),
    ...types.flatMap(({ config }) => [...fieldsOf(config, 'config.')]),
    ...fieldsOf({ properties: commonTemplateFields }, ''),
    ...[...types, ...plugins.flatMap(({ providerApis = [] }) => providerApis)].flatMap(({ fields = {} }) => [
      ...fieldsOf(fields, ''),
    ]),
  ];
  t.true(all.length > 100, String(all.length));
  for (const [path, field] of all) {
    const mine = rows.filter((row) => row.startsWith(`| \`${path}\` |`));
    t.true(mine.length > 0, `${path} is missing`);
    t.true(field['description']?.length > 0, `${path} does not say what it means`);
    t.true(
      mine.some((row) => row.includes(field['description'].replaceAll('|', '\\|'))),
      path,
    );
    if (field['sensitive'])
      t.true(
        mine.some((row) => row.includes('**secret**')),
        path,
      );
  }
});

test('every variable of the reference is read from the environment', async (t) => {
  const plugins = await builtInPlugins();
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const made = page('configuration');
  const variables = [...made.matchAll(/^\| `[\w.[\]]+` \|.*\| `(MUSTER_[A-Z_]+)` \| /gm)].map(([, name = '']) => name);
  t.true(variables.length > 50, String(variables.length));
  const read = new EnvironmentVariables(
    Object.fromEntries([...variables, 'MUSTER_SERVER_PROT'].map((name) => [name, '1'])),
  );
  read.sections();
  for (const { storages = [] } of plugins) for (const each of storages) read.storage(each);
  for (const each of types) read.provider(each);
  const unread = read.findings(types).filter(({ message }) => /nothing reads it|no field has this name/.test(message));
  t.deepEqual(
    unread.map(({ file }) => file),
    ['environment variable MUSTER_SERVER_PROT'],
  );
});
