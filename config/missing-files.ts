import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { TObject, TSchema } from 'typebox';
import { compile } from '../core/schema.ts';
import { absolutePath, type PathBase } from './paths.ts';

/** A file that a field of the configuration names and that is not there. */
export interface MissingFile {
  readonly field: string;
  /** Begins with the code. */
  readonly message: string;
}

/** Files that are not there, where the schema says `must_exist: true` of the field. */
export function missingFiles(
  schema: TObject,
  config: Readonly<Record<string, unknown>>,
  baseOf: (name: string) => PathBase,
): MissingFile[] {
  const given = compile(schema).canonical(config).value as Readonly<Record<string, unknown>>;
  return Object.entries(schema.properties as Record<string, TSchema & { must_exist?: boolean }>).flatMap(([name, field]) => {
    const path = given[name];
    if (!field.must_exist || typeof path !== 'string' || path === '') return [];
    const full = absolutePath(path.replace(/^~(?=\/|$)/, homedir()), baseOf(name));
    if (existsSync(full)) return [];
    const where = full === path ? '' : `; looked for as ${full}`;
    return [{ field: name, message: `FILE_NOT_FOUND: ${name} ${path} does not exist${where}` }];
  });
}
