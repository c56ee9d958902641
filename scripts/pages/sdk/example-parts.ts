import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../page.ts';

const region = /^( *)\/\/ #region (\S+)\n([^]*?)^ *\/\/ #endregion$/gm;

/** The programs that show the SDK, each to be run by itself. */
export const exampleFiles = (): string[] =>
  globSync('docs/examples/sdk/*.ts', { cwd: root })
    .toSorted()
    .map((file) => join(root, file));

/** Their parts between `// #region name` and `// #endregion`, by name. */
export function exampleParts(): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const file of exampleFiles()) {
    for (const [, indent = '', name = '', code = ''] of readFileSync(file, 'utf8').matchAll(region)) {
      if (parts.has(name)) throw new Error(`There are two examples called '${name}'.`);
      parts.set(name, code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
    }
  }
  return parts;
}
