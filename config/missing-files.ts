import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { TObject, TSchema } from 'typebox';
import type { Finding } from '../core/findings.ts';
import { compile } from '../core/schema.ts';
import { absolutePath, type PathBase } from './paths.ts';

/** Files that a configuration names and that are not there, where the schema says `must_exist: true` of the field. The code heads the finding. */
export function missingFiles(schema: TObject, config: Readonly<Record<string, unknown>>, base: PathBase): Finding[] {
  const given = compile(schema).canonical(config).value as Readonly<Record<string, unknown>>;
  return Object.entries(schema.properties as Record<string, TSchema & { must_exist?: boolean }>).flatMap(([name, field]): Finding[] => {
    const path = given[name];
    if (!field.must_exist || typeof path !== 'string' || path === '') return [];
    if (existsSync(absolutePath(path.replace(/^~(?=\/|$)/, homedir()), base))) return [];
    return [{ level: 'error', path: '', message: `FILE_NOT_FOUND: ${name} ${path} does not exist` }];
  });
}
