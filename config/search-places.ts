import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Places that are looked at, in this order, from the working directory up to the nearest package.json. */
export const searchPlaces = [
  ...['yaml', 'yml', 'json', 'ts', 'mjs', 'js'].map((extension) => `muster.config.${extension}`),
  '.musterrc',
  'package.json',
];

/** The directory of the configuration file that is in force; the working directory when there is none. Nothing of it is read. */
export function configurationDirectory(cwd: string): string {
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    const ours = searchPlaces.some((name) =>
      name === 'package.json' ? hasField(join(directory, name)) : existsSync(join(directory, name)),
    );
    if (ours) return directory;
    const ends =
      dirname(directory) === directory || ['json', 'yaml'].some((extension) => existsSync(join(directory, `package.${extension}`)));
    if (ends) return resolve(cwd);
  }
}

/** A package.json that is broken is not ours to tell. */
function hasField(file: string): boolean {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly muster?: unknown } | null)?.muster !== undefined;
  } catch {
    return false;
  }
}
