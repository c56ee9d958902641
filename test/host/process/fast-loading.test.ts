import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';

const root = join(import.meta.dirname, '../../..');
const bundle = join(root, 'bundled/typebox');
const { version, files } = JSON.parse(readFileSync(join(bundle, 'files.json'), 'utf8')) as {
  version: string;
  files: Record<string, string>;
};

/** What typebox is in a process that began as ours do, for a file at `path` that imports it. */
function typeboxFor(path: string): string {
  writeFileSync(path, `export { default } from 'typebox';\nexport const from = import.meta.resolve('typebox');\n`);
  const code = `import { useFastLoading } from ${JSON.stringify(pathToFileURL(join(root, 'host/process/fast-loading.ts')))};
    useFastLoading();
    const { default: theirs, from } = await import(${JSON.stringify(pathToFileURL(path))});
    const { compile } = await import(${JSON.stringify(pathToFileURL(join(root, 'core/schema/compile.ts')))});
    if (compile(theirs.Object({ a: theirs.Number() })).parse({ a: 1 }).value?.a !== 1) throw new Error('It does not check.');
    process.stdout.write(from);`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', cwd: root });
}

test('the bundle has all that the installed typebox has', async (t) => {
  t.is(
    version,
    JSON.parse(readFileSync(join(root, 'node_modules/typebox/package.json'), 'utf8')).version,
    'run `npm run prepare`',
  );
  // In a process of its own: the specifiers are those of the bundle here.
  const code = `const all = {};
    for (const specifier of ${JSON.stringify(Object.keys(files))}) all[specifier] = Object.keys(await import(specifier)).toSorted();
    process.stdout.write(JSON.stringify(all));`;
  const whole = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', cwd: root }),
  ) as Record<string, string[]>;
  for (const [specifier, file] of Object.entries(files)) {
    const bundled: object = await import(join(bundle, file));
    t.deepEqual(Object.keys(bundled).toSorted(), whole[specifier], specifier);
  }
});

test('a plugin from elsewhere shares the bundle where its typebox is ours, and keeps one of its own', (t) => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'muster-plugin-'));
  t.teardown(() => rmSync(elsewhere, { recursive: true }));
  const modules = join(elsewhere, 'node_modules');
  mkdirSync(modules);
  symlinkSync(join(root, 'node_modules/typebox'), join(modules, 'typebox'));
  t.is(typeboxFor(join(elsewhere, 'plugin.mjs')), pathToFileURL(join(bundle, 'index.mjs')).href);

  rmSync(join(modules, 'typebox'));
  mkdirSync(join(modules, 'typebox'));
  writeFileSync(join(modules, 'typebox/package.json'), '{"name":"typebox","type":"module","exports":"./index.js"}');
  writeFileSync(
    join(modules, 'typebox/index.js'),
    `export default { Object: (properties) => ({ type: 'object', properties }), Number: () => ({ type: 'number' }) };\n`,
  );
  t.is(typeboxFor(join(elsewhere, 'plugin.mjs')), pathToFileURL(join(modules, 'typebox/index.js')).href);
});
