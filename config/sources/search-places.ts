import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { whyUntrusted } from '../checks/why-untrusted.ts';

/**
 * File names of a configuration, in the order of precedence. They are searched in each directory from the working
 * directory up to the nearest package.json.
 */
export const searchPlaces = [
  ...['yaml', 'yml', 'json', 'ts', 'mjs', 'js'].map((extension) => `muster.config.${extension}`),
  '.musterrc',
  'package.json',
];

/** The directories of a search, from the working directory up to the first directory with a package.json. */
export interface Searched {
  /** Directories that are searched, in this order. */
  readonly directories: readonly string[];
  /** The first directory that other users control, and all directories after it. They are not searched. */
  readonly beyond: readonly string[];
  /** Why the first directory of `beyond` is not searched. */
  readonly why?: string;
}

/**
 * Returns the directories of a search. The search ends where other users own a directory or can write to it: a
 * configuration names code that would run as this user.
 */
export function searched(cwd: string): Searched {
  const all = ancestorsToPackage(resolve(cwd));
  for (const [place, directory] of all.entries()) {
    const why = whyUntrusted(directory);
    if (why !== undefined) return { directories: all.slice(0, place), beyond: all.slice(place), why };
  }
  return { directories: all, beyond: [] };
}

function ancestorsToPackage(directory: string): string[] {
  const isRoot = ['json', 'yaml'].some((extension) => existsSync(join(directory, `package.${extension}`)));
  return isRoot || dirname(directory) === directory
    ? [directory]
    : [directory, ...ancestorsToPackage(dirname(directory))];
}

/**
 * Returns the path of the configuration file in a directory; undefined when there is none. Reads only the content of
 * package.json.
 */
export function configurationIn(directory: string): string | undefined {
  return searchPlaces
    .map((name) => join(directory, name))
    .find((file) => (file.endsWith('package.json') ? hasField(file) : existsSync(file)));
}

/**
 * Returns the directory of the configuration file; the working directory when there is none. Reads only the content of
 * package.json files.
 */
export const configurationDirectory = (cwd: string): string =>
  searched(cwd).directories.find((directory) => configurationIn(directory) !== undefined) ?? resolve(cwd);

/** A broken package.json counts as one without configuration. */
function hasField(file: string): boolean {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly muster?: unknown } | null)?.muster !== undefined;
  } catch {
    return false;
  }
}
