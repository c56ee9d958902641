import { isObject } from '../../core/schema/is-object.ts';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isBrokerError } from '../../core/contract/errors.ts';
import { readBounded } from '../sources/read-bounded.ts';
import { readText } from '../sources/source-text.ts';

/** Bytes that a file may have that a template names. */
export const mostOfNamed = 1_048_576;

type Spec = { readonly value: Readonly<Record<string, unknown>> } | { readonly wrong: string };

/**
 * Reads a native specification, JSON or YAML, that a template names by its file. The file lies in the template directory or below it, also where links
 * lead: whoever may write a template must not be shown other files by it.
 */
export async function readSpecFile(directory: string, name: string): Promise<Spec> {
  if (isAbsolute(name)) return { wrong: `'${name}' must be relative to the template directory` };
  const path = join(directory, name);
  try {
    const [real, home] = await Promise.all([realpath(path), realpath(directory)]);
    if (!isBelow(real, home) || !isBelow(path, directory)) return { wrong: `'${name}' lies outside of the template directory` };
    const read = await readBounded(real, mostOfNamed);
    if ('wrong' in read) return { wrong: `'${name}' ${read.wrong}` };
    const { value } = readText(path, read.bytes.toString());
    return isObject(value) ? { value } : { wrong: `'${name}' must hold an object` };
  } catch (error) {
    if (isBrokerError(error)) return { wrong: error.message };
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return { wrong: `${path} cannot be read (${code})` };
  }
}

/** Whether a path leads into a directory, by its words alone. */
export function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
