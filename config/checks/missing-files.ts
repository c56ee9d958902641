import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { TObject, TSchema } from 'typebox';
import { compile } from '../../core/schema/compile.ts';
import { absolutePath, type PathBase } from '../sources/paths.ts';

/** A file that a field of the configuration names and that is not there. */
export interface MissingFile {
  readonly field: string;
  /** Begins with the code. */
  readonly message: string;
}

export interface FilesShown {
  /** Of which files the reader may know whether they are there; he is not told either where those are looked for. Default: of all. */
  readonly told?: (path: string) => boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** No system has longer ones. */
const longestPath = 4_096;

/** Files that are not there, where the schema says `must_exist: true` of the field. */
export function missingFiles(
  schema: TObject,
  config: Fields,
  baseOf: (name: string) => PathBase,
  { told }: FilesShown = {},
): MissingFile[] {
  const given = compile(schema).canonical(config).value as Fields;
  return filesIn(schema, given).flatMap(([name, path]) => {
    if (path.length > longestPath)
      return [{ field: name, message: `FILE_NOT_FOUND: ${name} is longer than the ${longestPath} characters of a path` }];
    const full = resolve(absolutePath(withHome(path), baseOf(name)));
    if (told && !told(full)) return [{ field: name, message: `FILE_NOT_FOUND: ${name} ${path} ${untold}` }];
    if (existsSync(full)) return [];
    const where = full === path || told ? '' : `; looked for as ${full}`;
    return [{ field: name, message: `FILE_NOT_FOUND: ${name} ${path} does not exist${where}` }];
  });
}

/** The same whether it is there or not. */
const untold =
  "is not in the directory of the server's configuration, and of other files callers are told nothing; muster config validate looks for it";

/** The files that a configuration names, where they must exist; its paths are absolute. */
export const namedFiles = (schema: TObject, config: Fields): readonly string[] =>
  filesIn(schema, config).map(([, path]) => resolve(withHome(path)));

const filesIn = (schema: TObject, config: Fields): readonly (readonly [name: string, path: string])[] =>
  Object.entries(schema.properties as Record<string, TSchema & { must_exist?: boolean }>).flatMap(([name, field]) => {
    const path = config[name];
    return field.must_exist && typeof path === 'string' && path !== '' ? [[name, path] as const] : [];
  });

const withHome = (path: string): string => path.replace(/^~(?=\/|$)/, homedir());
