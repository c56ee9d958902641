import { isAbsolute, join, resolve, sep } from 'node:path';
import type { TSchema } from 'typebox';
import { isObject } from '../../core/schema/is-object.ts';

/** The directories from which relative paths of a configuration are resolved. */
export interface PathBase {
  /**
   * The directory of the configuration file; the working directory for values of the environment and of the command
   * line.
   */
  readonly directory: string;
  /** The directory that replaces `./data`. */
  readonly data_directory: string;
}

/** Returns the absolute path. A path below `./data` moves to the data directory. */
export function absolutePath(path: string, base: PathBase): string {
  if (isAbsolute(path)) return path;
  const data = resolve(base.directory, 'data');
  const full = resolve(base.directory, path);
  return full === data || full.startsWith(data + sep) ? join(base.data_directory, full.slice(data.length)) : full;
}

/**
 * Returns a copy with absolute paths. A field is a path when its schema has `path: true` or its name ends like a path.
 * URLs and values that begin with a colon (`:memory:`) or a tilde stay unchanged.
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

/** Whether a field holds a path, by its schema or by its name. */
export const isPathField = (name: string, field: { readonly path?: boolean }): boolean =>
  field.path ?? /(^path|_file|_path|_directory)$/.test(name);
const isRelative = (text: string): boolean => text !== '' && !/^([:~]|[a-z][a-z0-9+.-]+:)/i.test(text);
