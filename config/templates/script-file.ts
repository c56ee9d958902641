import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readBounded, type Bounded } from '../sources/read-bounded.ts';
import { isBelow, maxNamedFileSize } from './spec-file.ts';

/** The beginnings of texts that a machine executes, or reads as cloud-init data, at its start. */
const beginnings =
  /^(?:\uFEFF)?(?:#!|#cloud-|#include|#part-handler|## template: jinja|Content-Type:|MIME-Version:|<(?:powershell|script|persist)>)/i;

/**
 * Reads the script that a template names. HostFactory's template files name scripts by absolute paths, so a script may
 * lie outside of the template directory. It must then begin like a script: else a template could read any file of the
 * host.
 */
export async function readScript(directory: string, name: string): Promise<Bounded> {
  const path = resolve(directory, name);
  try {
    const [real, home] = await Promise.all([realpath(path), realpath(directory)]);
    const read = await readBounded(real, maxNamedFileSize);
    if ('wrong' in read) return { wrong: `'${name}' ${read.wrong}` };
    if (isBelow(real, home) || beginnings.test(read.bytes.toString('utf8', 0, 64))) return read;
    return {
      wrong: `'${name}' lies outside of the template directory and is not a script: it begins neither with #! nor like cloud-init data`,
    };
  } catch (error) {
    return { wrong: `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
  }
}
