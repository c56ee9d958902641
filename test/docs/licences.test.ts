import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { productionPackages } from '../../scripts/pages/licences.ts';

const root = join(import.meta.dirname, '../..');

test('the page of licences has every package that an install brings', (t) => {
  const page = readFileSync(join(root, 'docs/reference/licences.md'), 'utf8');
  for (const { name, version, licence } of productionPackages())
    t.true(page.includes(`\n| ${name} | ${version} | ${licence} |`), name);
});

/** Those that ask for no more than that they are named. Another one is looked at before it stands here. */
const agreed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'PSF-2.0'];

test('every installed package has an accepted licence, and its manifest names the same licence', (t) => {
  const packages = productionPackages();
  t.true(packages.length > 150, String(packages.length));
  t.deepEqual(
    packages.filter(({ licence }) => !agreed.includes(licence)).map(({ name, licence }) => `${name}: ${licence}`),
    [],
  );
  const installed = packages.filter(({ path }) => existsSync(join(root, path, 'package.json')));
  t.true(installed.length > 150, String(installed.length));
  for (const { path, name, version, licence } of installed) {
    const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Readonly<
      Record<string, unknown>
    >;
    const own =
      manifest['license'] ?? (manifest['licenses'] as readonly { readonly type: string }[] | undefined)?.[0]?.type;
    t.deepEqual([manifest['version'], own], [version, licence], name);
  }
});
