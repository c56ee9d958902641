import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { whyForeign } from '../checks/why-foreign.ts';

/** Places that are looked at, in this order, from the working directory up to the nearest package.json. */
export const searchPlaces = [
  ...['yaml', 'yml', 'json', 'ts', 'mjs', 'js'].map((extension) => `muster.config.${extension}`),
  '.musterrc',
  'package.json',
];

/** Where a configuration is looked for, from a working directory up to the first directory with a package.json. */
export interface Searched {
  /** In this order. */
  readonly directories: readonly string[];
  /** Where the search has ended because others decide what lies there, with what would come next. */
  readonly beyond: readonly string[];
  /** Why the first of those is not looked into. */
  readonly why?: string;
}

/** The search does not go where others own a directory or may write: a configuration names code, and would run as this user. */
export function searched(cwd: string): Searched {
  const all = upToRoot(resolve(cwd));
  for (const [place, directory] of all.entries()) {
    const why = whyForeign(directory);
    if (why !== undefined) return { directories: all.slice(0, place), beyond: all.slice(place), why };
  }
  return { directories: all, beyond: [] };
}

function upToRoot(directory: string): string[] {
  const isRoot = ['json', 'yaml'].some((extension) => existsSync(join(directory, `package.${extension}`)));
  return isRoot || dirname(directory) === directory ? [directory] : [directory, ...upToRoot(dirname(directory))];
}

/** The configuration that lies in a directory, by its path. Only of a package.json something is read. */
export function configurationIn(directory: string): string | undefined {
  return searchPlaces
    .map((name) => join(directory, name))
    .find((file) => (file.endsWith('package.json') ? hasField(file) : existsSync(file)));
}

/** The directory of the configuration file that is in force; the working directory when there is none. Nothing of it is read. */
export const configurationDirectory = (cwd: string): string =>
  searched(cwd).directories.find((directory) => configurationIn(directory) !== undefined) ?? resolve(cwd);

/** A package.json that is broken is not ours to tell. */
function hasField(file: string): boolean {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly muster?: unknown } | null)?.muster !== undefined;
  } catch {
    return false;
  }
}
