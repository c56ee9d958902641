import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { TObject, TSchema } from 'typebox';
import type { Finding } from '../core/findings.ts';
import { compile } from '../core/schema.ts';
import { absolutePath, type PathBase } from './paths.ts';

/** Files that a configuration names and that are not there, where the schema says `must_exist: true` of the field. The code heads the finding. */
export function missingFiles(
  schema: TObject,
  config: Readonly<Record<string, unknown>>,
  baseOf: (name: string) => PathBase,
): (Finding & { readonly field: string })[] {
  const given = compile(schema).canonical(config).value as Readonly<Record<string, unknown>>;
  return Object.entries(schema.properties as Record<string, TSchema & { must_exist?: boolean }>).flatMap(([name, field]) => {
    const path = given[name];
    if (!field.must_exist || typeof path !== 'string' || path === '') return [];
    const full = absolutePath(path.replace(/^~(?=\/|$)/, homedir()), baseOf(name));
    if (existsSync(full)) return [];
    const where = full === path ? '' : `; looked for as ${full}`;
    return [{ level: 'error' as const, path: '', field: name, message: `FILE_NOT_FOUND: ${name} ${path} does not exist${where}` }];
  });
}
