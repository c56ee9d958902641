import { resolve } from 'node:path';
import type { TObject, TSchema } from 'typebox';
import { absolutePath, type PathBase } from '../sources/paths.ts';
import { whyForeign, whyForeignFile } from './why-foreign.ts';

/** A program that a field of the configuration names and that others decide about. */
export interface ForeignProgram {
  readonly field: string;
  readonly message: string;
}

/**
 * Programs that others than this user and root could change, where the schema says `runs: true` of the field. None where
 * they decide about the directory of the configuration itself: whoever named that means what it says.
 */
export function foreignPrograms(
  schema: TObject,
  config: Readonly<Record<string, unknown>>,
  baseOf: (name: string) => PathBase,
): ForeignProgram[] {
  return Object.entries(schema.properties as Record<string, TSchema & { runs?: boolean }>).flatMap(([name, field]) => {
    const path = config[name];
    if (!field.runs || typeof path !== 'string' || path === '') return [];
    const base = baseOf(name);
    const file = resolve(absolutePath(path, base));
    const why = whyForeign(base.directory) === undefined ? whyForeignFile(file) : undefined;
    return why === undefined ? [] : [{ field: name, message: `${name} ${file} is not run: ${why}. Copy it, or change the rights` }];
  });
}
