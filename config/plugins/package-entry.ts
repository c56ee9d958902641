import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Returns the file that `import` of a package name (or `name/subpath`) loads, resolved from a directory; undefined
 * when there is none.
 */
export function packageEntry(name: string, from: string): string | undefined {
  const base = join(resolve(from), 'noop.js');
  try {
    const manifestFile = manifestOf(name, base);
    if (manifestFile !== undefined) {
      const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as { exports?: unknown };
      const exported = exportOf(manifest.exports, subpathOf(name));
      if (exported !== undefined) return join(dirname(manifestFile), exported);
    }
    // Without `exports`, `import` and `require` load the same file.
    return createRequire(base).resolve(name);
  } catch {
    return undefined;
  }
}

const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
const subpathOf = (name: string): string => `.${name.slice(packageOf(name).length)}`;

function manifestOf(name: string, base: string): string | undefined {
  try {
    return findPackageJSON(packageOf(name), pathToFileURL(base));
  } catch {
    return undefined;
  }
}

const conditions = new Set(['node', 'import', 'module-sync', 'default']);

/**
 * Resolves `exports` for `import`. Node offers only `require` resolution from another directory, which does not find
 * packages that export to `import` alone.
 */
function exportOf(exports: unknown, subpath: string): string | undefined {
  if (typeof exports === 'string') return subpath === '.' ? exports : undefined;
  if (Array.isArray(exports)) return exports.map((each) => exportOf(each, subpath)).find((each) => each !== undefined);
  if (typeof exports !== 'object' || exports === null) return undefined;
  const bySubpath = Object.keys(exports).some((key) => key.startsWith('.'));
  if (bySubpath) return exportOf((exports as Record<string, unknown>)[subpath], '.');
  for (const [condition, target] of Object.entries(exports)) {
    const found = conditions.has(condition) ? exportOf(target, subpath) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
