import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readBounded, type Bounded } from '../sources/read-bounded.ts';
import { isBelow, mostOfNamed } from './spec-file.ts';

/** How that begins which a machine runs, or sets itself up by, when it starts. */
const beginnings =
  /^(?:\uFEFF)?(?:#!|#cloud-|#include|#part-handler|## template: jinja|Content-Type:|MIME-Version:|<(?:powershell|script|persist)>)/i;

/**
 * Reads the script that a template names by its file. HostFactory's files name theirs by whole paths, so one may lie elsewhere than in the template directory,
 * but must begin as a script then: whoever may write a template must not be shown other files by it.
 */
export async function readScript(directory: string, name: string): Promise<Bounded> {
  const path = resolve(directory, name);
  try {
    const [real, home] = await Promise.all([realpath(path), realpath(directory)]);
    const read = await readBounded(real, mostOfNamed);
    if ('wrong' in read) return { wrong: `'${name}' ${read.wrong}` };
    if (isBelow(real, home) || beginnings.test(read.bytes.toString('utf8', 0, 64))) return read;
    return {
      wrong: `'${name}' lies outside of the template directory and is no script: it begins neither with #! nor as cloud-init wants it`,
    };
  } catch (error) {
    return { wrong: `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
  }
}
