import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrokerError } from '../../core/index.ts';
import { thisPackage } from '../process/this-package.ts';
import { providerPackage, type Files } from './provider-package.ts';

/** From host/scaffold of the sources, or dist/host/scaffold of a build. */
const up = import.meta.url.endsWith('.ts') ? '../..' : '../../..';
const example = fileURLToPath(new URL(`${up}/docs/examples/provider-http`, import.meta.url));

/** A name that is good for a folder, a package and a provider type alike. */
const nameForm = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * Writes the package of a new provider into `directory`, which must not have anything in it. Gives the paths that were
 * written. Refuses a name that could not be one with INVALID_REQUEST, a folder that is in use with ALREADY_EXISTS. /
 */
export async function writeProviderPackage(name: string, directory: string): Promise<readonly string[]> {
  if (!nameForm.test(name) || name.length > 60)
    throw new BrokerError(
      'INVALID_REQUEST',
      `'${name}' cannot be the name of a provider: use lower-case letters, digits and single hyphens, beginning with a letter, e.g. my-cloud.`,
    );
  if (existsSync(directory) && (await readdir(directory)).length > 0)
    throw new BrokerError(
      'ALREADY_EXISTS',
      `There is something in ${directory} already. Name another folder with --directory.`,
    );
  const files = providerPackage(await readFiles(example), name, thisPackage.version);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text, { flag: 'wx' });
  }
  return Object.keys(files).toSorted();
}

async function readFiles(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)),
  );
}
