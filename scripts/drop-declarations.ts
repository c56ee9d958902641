import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * The declarations that the entry points of package.json lead to, below `directory`: a user of the package can import
 * no others.
 */
export function neededDeclarations(directory: string): ReadonlySet<string> {
  const { exports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  const needed = new Set<string>();
  const follow = (file: string): void => {
    if (needed.has(file)) return;
    needed.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:\bfrom\s+|\bimport\(|\bimport\s+)["'](\.[^"']+)["']/g,
    ))
      follow(resolve(dirname(file), path.replace(/\.(ts|js)$/, '.d.ts')));
  };
  for (const to of Object.values(exports)) if (typeof to !== 'string') follow(join(directory, to.types));
  return needed;
}

/** Removes the others from `dist`: nine of ten. */
if (import.meta.main) {
  const needed = neededDeclarations(root);
  for (const file of globSync('dist/**/*.d.ts', { cwd: root }))
    if (!needed.has(join(root, file))) rmSync(join(root, file));
}
