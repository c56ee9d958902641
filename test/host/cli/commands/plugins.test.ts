import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runCli } from '../../../support/run-cli.ts';

const core = JSON.stringify(join(import.meta.dirname, '../../../../core/index.ts'));

/** A directory with a configuration of these plugins, and the sources of some. */
function configured(
  t: ExecutionContext,
  configuration: object,
  sources: Readonly<Record<string, string>> = {},
): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'muster-plugins-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  for (const [path, source] of Object.entries(sources)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(
      join(directory, path),
      path.endsWith('.json') ? source : `import { definePlugin } from ${core};\n${source}`,
    );
  }
  const file = join(directory, 'muster.config.json');
  writeFileSync(file, JSON.stringify(configuration));
  return ['--config', file];
}

const listed = async (args: readonly string[]) => {
  const { code, out } = await runCli(['plugins', ...args, '--output', 'json']);
  return { code, ...(JSON.parse(out) as { configuration: string; plugins: any[] }) };
};

test('every configured plugin is listed: whence it comes, its version, its contract and what it brings', async (t) => {
  const own = `export default definePlugin({ name: 'acme', contract: 1, requires: ['cloud'], eventSinks: [{ name: 'bell', deliver: async () => {} }] });`;
  const config = configured(
    t,
    { plugins: ['cloud', 'cloud-ec2fleet', 'hostfactory-format', 'storage-sqlite', './acme', '@acme/packaged'] },
    {
      'acme/index.ts': own,
      'acme/package.json': '{"version": "3.2.1"}',
      'node_modules/@acme/packaged/index.js': `export default definePlugin({ name: 'packaged', contract: 1 });`,
      'node_modules/@acme/packaged/package.json':
        '{"name": "@acme/packaged", "type": "module", "version": "2.0.0-rc.1", "exports": "./index.js"}',
    },
  );
  const { code, plugins } = await listed(['list', ...config]);
  t.is(code, 0);
  const [cloud, fleet, format, storage, acme, packaged] = plugins;
  t.like(cloud, {
    name: 'cloud',
    status: 'ok',
    source: 'built-in',
    version: '0.1.0',
    contract: 1,
    provider_types: ['cloud'],
    problems: [],
  });
  t.like(fleet, { provider_apis: ['EC2Fleet'], requires: ['cloud'] });
  t.deepEqual([format.schedulers, storage.storages], [['hostfactory', 'lsf'], ['sqlite']]);
  t.like(acme, { source: 'path', version: '3.2.1', event_sinks: ['bell'] });
  t.regex(acme.file, /acme\/index\.ts$/);
  t.like(packaged, { source: 'package', version: '2.0.0-rc.1', status: 'ok' });
  const { out } = await runCli(['plugins', 'list', ...config]);
  t.regex(
    out,
    /^NAME +STATUS +VERSION +CONTRACT +CONTRIBUTES +REQUIRES +FROM\ncloud +ok +0\.1\.0 +1 +provider type cloud +built-in\n/,
  );
  t.regex(out, /\n\.\/acme +ok +3\.2\.1 +1 +event sink bell +cloud +\/.*acme\/index\.ts\n/);
  t.regex(
    (await runCli(['plugins', 'list', ...config, '-o', 'yaml'])).out,
    /^configuration: .*\nplugins:\n  - name: cloud\n/,
  );
});

test('a check ends with 4 and says of each plugin that is wrong what to do; list says the same and ends with 0', async (t) => {
  const config = configured(
    t,
    {
      plugins: [
        'default-format',
        'nowhere',
        './throws',
        './future',
        './half',
        './nameless',
        'default-format',
        'cloud-asg',
      ],
      scheduler: 'none',
    },
    {
      'throws/index.ts': `throw new Error('the licence file is missing');`,
      'future/index.ts': `export default definePlugin({ name: 'future', contract: 7 as never });`,
      'half/index.ts': `export default definePlugin({ name: 'half', contract: 1, storages: [{ type: 'box', options: { type: 'object', properties: {} }, shared: true } as never] });`,
      'nameless/index.ts': `export default definePlugin({ name: 'nameless', contract: 1, providers: { type: 'x' } as never });`,
    },
  );
  const { code, plugins } = await listed(['check', ...config]);
  t.is(code, 4);
  const problems = plugins.map((each: any) => each.problems.join());
  t.is(problems[0], '');
  for (const [index, said] of [
    [
      1,
      /^Plugin 'nowhere' was not found\. Tried: plugins\/nowhere, package 'nowhere' from .*\. Install it or fix the path\.$/,
    ],
    [2, /^Plugin '\.\/throws' failed to load from .*: the licence file is missing$/],
    [3, /contract 7; this muster has contract 1\. Install a version that fits/],
    [4, /^Plugin 'half' contributes the storage 'box' without open\. Add the members that its interface requires\.$/],
    [5, /^Plugin '\.\/nameless' has a 'providers' that is not a list\. Make it a list\.$/],
    [6, /listed twice/],
    [7, /requires the plugin 'cloud'\. Add it to plugins/],
  ] as const)
    t.regex(problems[index] ?? '', said);
  t.like(plugins[3], { status: 'wrong', contract: 7 });
  t.is((await listed(['list', ...config])).code, 0);
  const { out, err } = await runCli(['plugins', 'check', ...config]);
  t.is(out.match(/ wrong/g)?.length, 7);
  t.is(err.trim().split('\n').length, 7, 'each problem a line, beside the table');
});

test('a plugin that is not configured yet is checked beside those that are', async (t) => {
  const config = configured(
    t,
    { plugins: ['default-format'] },
    {
      'new/index.ts': `export default definePlugin({ name: 'new', contract: 1, schedulers: [{ name: 'default' } as never] });`,
    },
  );
  const directory = join(config[1] ?? '', '..');
  const { code, plugins } = await listed(['check', join(directory, 'new'), ...config]);
  t.is(code, 4);
  t.is(plugins.length, 1);
  t.regex(
    plugins[0].problems.join(),
    /contributes the scheduler strategy 'default', which 'default-format' already contributes/,
  );
  t.like(await listed(['check', 'hostfactory-format', ...config]), {
    code: 0,
    plugins: [{ name: 'hostfactory-format', status: 'ok' }],
  });
});

test('`plugins` that is not a list, and a file that cannot be read, are reported as in every command', async (t) => {
  const wrong = await runCli(['plugins', 'check', ...configured(t, { plugins: 'cloud' })]);
  t.is(wrong.code, 4);
  t.regex(wrong.err, /muster\.config\.json:1:\d+ \/plugins: /);
  t.is((await runCli(['plugins', 'list', '--config', '/nowhere/muster.yaml'])).code, 3);
  t.regex((await runCli(['plugins', 'chek'])).err, /Did you mean check/);
});
