import { existsSync, globSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../..');

test('an install without development dependencies takes less than 260 MB', (t) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
  };
  const installed = Object.entries(packages).flatMap(([path, { dev, devOptional }]) =>
    path === '' || dev || devOptional || !existsSync(join(root, path)) ? [] : [path],
  );
  t.true(installed.length > 200, `${installed.length} packages`);
  let bytes = 0;
  for (const path of installed)
    for (const file of globSync('**', { cwd: join(root, path), exclude: ['node_modules', 'include'] })) {
      if (/^node_modules\/(@?rolldown|@oxc-project)\//.test(`${path}/`) || /\.(js|ts)\.map$/.test(file)) continue;
      const found = lstatSync(join(root, path, file));
      // As files lie on a disk.
      if (found.isFile()) bytes += Math.ceil(found.size / 4096) * 4096;
    }
  t.true(bytes < 260 * 2 ** 20, `${Math.round(bytes / 2 ** 20)} MB`);
  t.true(bytes > 200 * 2 ** 20, `${Math.round(bytes / 2 ** 20)} MB`);
});
