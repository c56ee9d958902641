import { isObject } from '../../core/schema/is-object.ts';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isBrokerError } from '../../core/contract/errors.ts';
import { readBounded } from '../sources/read-bounded.ts';
import { readText } from '../sources/source-text.ts';

/** Maximum size of a file that a template names, in bytes. */
export const maxNamedFileSize = 1_048_576;

type Spec = { readonly value: Readonly<Record<string, unknown>> } | { readonly wrong: string };

/**
 * Reads a native specification, JSON or YAML, that a template names. The file must lie below the template directory
 * after links are resolved: else a template could read any file of the host.
 */
export async function readSpecFile(directory: string, name: string): Promise<Spec> {
  if (isAbsolute(name)) return { wrong: `'${name}' must be relative to the template directory` };
  const path = join(directory, name);
  try {
    const [real, home] = await Promise.all([realpath(path), realpath(directory)]);
    if (!isBelow(real, home) || !isBelow(path, directory))
      return { wrong: `'${name}' lies outside of the template directory` };
    const read = await readBounded(real, maxNamedFileSize);
    if ('wrong' in read) return { wrong: `'${name}' ${read.wrong}` };
    const { value } = readText(path, read.bytes.toString());
    return isObject(value) ? { value } : { wrong: `'${name}' must hold an object` };
  } catch (error) {
    if (isBrokerError(error)) return { wrong: error.message };
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return { wrong: `${path} cannot be read (${code})` };
  }
}

/** Whether a path lies below a directory. Compares the paths only; does not resolve links. */
export function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
