import { isAbsolute, join, resolve, sep } from 'node:path';
import type { TSchema } from 'typebox';
import { isObject } from '../../core/schema/is-object.ts';

/** How relative paths of a configuration become absolute ones. */
export interface PathBase {
  /** The directory of the configuration file; the working directory for what the environment or the command line says. */
  readonly directory: string;
  /** What `./data` stands for. */
  readonly data_directory: string;
}

/** An absolute path; what lies in `./data` goes where the data directory is. */
export function absolutePath(path: string, base: PathBase): string {
  if (isAbsolute(path)) return path;
  const data = resolve(base.directory, 'data');
  const full = resolve(base.directory, path);
  return full === data || full.startsWith(data + sep) ? join(base.data_directory, full.slice(data.length)) : full;
}

/**
 * A copy with absolute paths, where the schema marks a field `path: true` or its name says that it is one. URLs and names that begin with a
 * colon (`:memory:`) or a tilde stay.
 */
export function absolutePaths<T>(schema: TSchema, value: T, baseOf: (pointer: string) => PathBase, at = ''): T {
  const properties = (schema as { properties?: Record<string, TSchema & { path?: boolean }> }).properties;
  if (!isObject(value) || !properties) return value;
  const entries = Object.entries(value).map(([name, each]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const pointer = `${at}/${name}`;
    if (!field) return [name, each];
    if (typeof each !== 'string') return [name, absolutePaths(field, each, baseOf, pointer)];
    return [name, isPathField(name, field) && isRelative(each) ? absolutePath(each, baseOf(pointer)) : each];
  });
  return Object.fromEntries(entries) as T;
}

/** Whether a field holds a path: its schema says so, or its name. */
export const isPathField = (name: string, field: { readonly path?: boolean }): boolean =>
  field.path ?? /(^path|_file|_path|_directory)$/.test(name);
const isRelative = (text: string): boolean => text !== '' && !/^([:~]|[a-z][a-z0-9+.-]+:)/i.test(text);
