import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { TObject, TSchema } from 'typebox';
import { compile } from '../../core/schema/compile.ts';
import { absolutePath, type PathBase } from '../sources/paths.ts';

/** A file that a field of the configuration names and that does not exist. */
export interface MissingFile {
  readonly field: string;
  /** Begins with the error code `FILE_NOT_FOUND`. */
  readonly message: string;
}

export interface FileVisibility {
  /**
   * Whether the reader may learn if the file exists. When given, messages do not contain resolved paths. Default:
   * every file is visible.
   */
  readonly isVisible?: (path: string) => boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** No operating system accepts a longer path, in characters. */
const longestPath = 4_096;

/**
 * Returns the files that do not exist, of the fields whose schema has `must_exist: true`. Paths are relative to
 * `baseOf` of the field.
 */
export function missingFiles(
  schema: TObject,
  config: Fields,
  baseOf: (name: string) => PathBase,
  { isVisible }: FileVisibility = {},
): MissingFile[] {
  const given = compile(schema).canonical(config).value as Fields;
  return filesIn(schema, given).flatMap(([name, path]) => {
    if (path.length > longestPath)
      return [
        { field: name, message: `FILE_NOT_FOUND: ${name} is longer than the ${longestPath} characters of a path` },
      ];
    const full = resolve(absolutePath(withHome(path), baseOf(name)));
    if (isVisible && !isVisible(full))
      return [{ field: name, message: `FILE_NOT_FOUND: ${name} ${path} ${notVisible}` }];
    if (existsSync(full)) return [];
    const where = full === path || isVisible ? '' : `; looked for as ${full}`;
    return [{ field: name, message: `FILE_NOT_FOUND: ${name} ${path} does not exist${where}` }];
  });
}

/** The same message whether the file exists or not. */
const notVisible =
  "is not in the directory of the server's configuration, and callers cannot ask about other files; muster config validate checks it";

/**
 * Returns the absolute paths of the files that a configuration names in fields with `must_exist: true`. The
 * configuration holds absolute paths.
 */
export const namedFiles = (schema: TObject, config: Fields): readonly string[] =>
  filesIn(schema, config).map(([, path]) => resolve(withHome(path)));

const filesIn = (schema: TObject, config: Fields): readonly (readonly [name: string, path: string])[] =>
  Object.entries(schema.properties as Record<string, TSchema & { must_exist?: boolean }>).flatMap(([name, field]) => {
    const path = config[name];
    return field.must_exist && typeof path === 'string' && path !== '' ? [[name, path] as const] : [];
  });

const withHome = (path: string): string => path.replace(/^~(?=\/|$)/, homedir());
