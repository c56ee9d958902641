import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8')) as Readonly<Record<string, unknown>>;

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
}

test('every installed package has its checksum in the lock file, and comes from the registry', (t) => {
  const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  t.true(installed.length > 300, String(installed.length));
  for (const [path, { version, integrity, resolved, link, inBundle }] of installed) {
    t.falsy(link, path);
    t.regex(version ?? '', /^\d+\.\d+\.\d+/, path);
    // What a package brings within itself is covered by its sum.
    if (!inBundle) t.regex(integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, path);
    if (resolved !== undefined) t.regex(resolved, /^https:\/\/registry\.npmjs\.org\//, path);
  }
});

test('every version that is wanted is one version', (t) => {
  const manifest = read('package.json');
  for (const list of ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'])
    for (const [name, version] of Object.entries(manifest[list] as Readonly<Record<string, string>>))
      t.regex(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${list}: ${name}`);
});
