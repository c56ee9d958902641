import { resolve } from 'node:path';
import type { TObject, TSchema } from 'typebox';
import { absolutePath, type PathBase } from '../sources/paths.ts';
import { whyUntrusted, whyUntrustedFile } from './why-untrusted.ts';

/** A program that a field of the configuration names and that other users can change. */
export interface UntrustedProgram {
  readonly field: string;
  readonly message: string;
}

/**
 * Returns the programs that users other than this one and root can change. A field names a program when its schema has
 * `runs: true`. Returns none when other users control the directory of the configuration: the operator then named that
 * configuration explicitly.
 */
export function untrustedPrograms(
  schema: TObject,
  config: Readonly<Record<string, unknown>>,
  baseOf: (name: string) => PathBase,
): UntrustedProgram[] {
  return Object.entries(schema.properties as Record<string, TSchema & { runs?: boolean }>).flatMap(([name, field]) => {
    const path = config[name];
    if (!field.runs || typeof path !== 'string' || path === '') return [];
    const base = baseOf(name);
    const file = resolve(absolutePath(path, base));
    const why = whyUntrusted(base.directory) === undefined ? whyUntrustedFile(file) : undefined;
    return why === undefined
      ? []
      : [{ field: name, message: `${name} ${file} is not run: ${why}. Copy the program, or change its permissions` }];
  });
}
