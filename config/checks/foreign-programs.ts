import { resolve } from 'node:path';
import type { TObject, TSchema } from 'typebox';
import { absolutePath, type PathBase } from '../sources/paths.ts';
import { whyForeign, whyForeignFile } from './why-foreign.ts';

/** A program that a field of the configuration names and that other users can change. */
export interface ForeignProgram {
  readonly field: string;
  readonly message: string;
}

/**
 * Returns the programs that users other than this one and root can change. A field names a program when its schema has
 * `runs: true`. Returns none when other users control the directory of the configuration: the operator then named that
 * configuration explicitly.
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
    return why === undefined
      ? []
      : [{ field: name, message: `${name} ${file} is not run: ${why}. Copy the program, or change its permissions` }];
  });
}
