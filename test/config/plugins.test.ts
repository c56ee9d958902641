import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { isBrokerError } from '../../core/contract/errors.ts';
import type { Finding } from '../../core/contract/findings.ts';
import { oneOfMany } from '../support/temporary-directory.ts';

const cwd = join(import.meta.dirname, 'fixtures');
const core = JSON.stringify(join(import.meta.dirname, '../../core/index.ts'));

async function refused(names: readonly string[], from = cwd): Promise<readonly Finding[]> {
  try {
    await loadPlugins(names, { cwd: from });
  } catch (error) {
    if (isBrokerError(error) && error.code === 'INVALID_CONFIGURATION')
      return error.details['findings'] as readonly Finding[];
    throw error;
  }
  return [];
}

test('a built-in plugin is loaded by its name, a path relative to the configuration, in the order given', async (t) => {
  const plugins = await loadPlugins(['hostfactory-format', './acme', 'default-format', './needy/index.ts'], { cwd });
  t.deepEqual(
    plugins.map(({ name }) => name),
    ['hostfactory-format', 'acme', 'default-format', 'needy'],
  );
});

test('a package is resolved from the directory of the configuration, also one that is for import alone', async (t) => {
  const directory = oneOfMany('muster-packages-');
  for (const [name, exports] of [
    ['plain-package', undefined],
    ['import-only', { '.': { import: './lib/index.js' } }],
    ['@acme/scoped', './lib/index.js'],
  ] as const) {
    const home = join(directory, 'node_modules', name);
    await mkdir(join(home, 'lib'), { recursive: true });
    await writeFile(
      join(home, 'package.json'),
      JSON.stringify({ name, type: 'module', main: 'lib/index.js', ...(exports ? { exports } : {}) }),
    );
    const source = `import { definePlugin } from ${core};\nexport default definePlugin({ name: '${name}', contract: 1 });\n`;
    await writeFile(join(home, 'lib/index.js'), source);
  }
  const plugins = await loadPlugins(['plain-package', 'import-only', '@acme/scoped'], { cwd: directory });
  t.deepEqual(
    plugins.map(({ name }) => name),
    ['plain-package', 'import-only', '@acme/scoped'],
  );
});

const failures: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'a name that nothing has',
    ['acme-kubernetes'],
    /^Plugin 'acme-kubernetes' was not found\. Tried: plugins\/acme-kubernetes, package 'acme-kubernetes' from .*fixtures\. Install it or fix the path\.$/,
  ],
  [
    'a path that leads nowhere',
    ['./nowhere'],
    /^Plugin '\.\/nowhere' was not found\. Tried: .*fixtures\/nowhere\. Install it or fix the path\.$/,
  ],
  [
    'a module that throws',
    ['./broken'],
    /^Plugin '\.\/broken' failed to load from .*broken\/index\.ts: the licence file is missing$/,
  ],
  [
    'a module that is no plugin',
    ['./not-a-plugin'],
    /^Plugin '\.\/not-a-plugin' \(.*\) is not a plugin: its default export was not made with definePlugin\.$/,
  ],
  ['another contract', ['./future'], /^Plugin '\.\/future' was written for contract 2; this muster has contract 1\./],
  ['a missing requirement', ['./needy'], /^Plugin 'needy' requires the plugin 'acme'\. Add it to plugins\.$/],
  ['a name given twice', ['default-format', 'default-format'], /^Plugin 'default-format' is listed twice\./],
  [
    'a plugin under two names',
    ['./acme', './acme/index.ts'],
    /^Plugin '\.\/acme\/index\.ts' calls itself 'acme' as '\.\/acme' does\./,
  ],
  [
    'two plugins that bring one thing',
    ['./acme', './twin'],
    /^Plugin 'twin' contributes the provider type 'ac', which 'acme' already contributes\./,
  ],
];

for (const [title, names, message] of failures) {
  test(`the start is stopped by one sentence: ${title}`, async (t) => {
    const [finding, ...others] = await refused(names);
    t.is(others.length, 0);
    t.regex(finding?.message ?? '', message);
    t.is(finding?.path, `/plugins/${names.length - 1}`);
  });
}

test('every plugin that cannot load is reported, not only the first', async (t) => {
  const findings = await refused(['./nowhere', 'default-format', './broken', './needy']);
  t.deepEqual(
    findings.map(({ path }) => path),
    ['/plugins/0', '/plugins/2', '/plugins/3'],
  );
});
