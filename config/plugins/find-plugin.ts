import { existsSync, readFileSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageEntry } from './package-entry.ts';

/** Where a plugin comes from. */
export type PluginSource = 'built-in' | 'package' | 'path';

export interface FoundPlugin {
  readonly source?: PluginSource;
  /** The module to import. Absent: none was found. */
  readonly file?: string;
  /** The searched places, for messages. */
  readonly tried: readonly string[];
}

export const isPluginPath = (name: string): boolean => /^(\.{0,2}[/\\]|\.{1,2}$|file:|[A-Za-z]:[/\\])/.test(name);

// In the sources this file and the built-in plugins are .ts, in a build .js.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * Finds a plugin by its configured name: a built-in name, a package or a path. Packages and paths are resolved from
 * `cwd`.
 */
export const findPlugin = (name: string, cwd: string): FoundPlugin =>
  isPluginPath(name) ? byPath(name, cwd) : byName(name, cwd);

function byPath(name: string, cwd: string): FoundPlugin {
  const path = name.startsWith('file:') ? fileURLToPath(name) : resolve(cwd, name);
  if (existsSync(path) && statSync(path).isFile()) return { source: 'path', file: path, tried: [path] };
  const candidates = ['ts', 'js', 'mjs'].map((each) => join(path, `index.${each}`));
  const file = candidates.find((candidate) => existsSync(candidate));
  return {
    source: 'path',
    ...(file === undefined ? {} : { file }),
    tried: [path, ...(existsSync(path) ? candidates : [])],
  };
}

/** Whether muster contains a plugin of this name. Reads nothing outside of muster for any name. */
export const isBuiltIn = (name: string): boolean =>
  /^[a-z0-9][a-z0-9-]{0,99}$/.test(name) && existsSync(builtInFile(name));

const builtInFile = (name: string): string =>
  fileURLToPath(new URL(`../../plugins/${name}/index.${extension}`, import.meta.url));

function byName(name: string, cwd: string): FoundPlugin {
  const tried = [`plugins/${name}`, `package '${name}' from ${cwd}`];
  if (isBuiltIn(name)) return { source: 'built-in', file: builtInFile(name), tried };
  const file = packageEntry(name, cwd);
  return file === undefined ? { tried } : { source: 'package', file, tried };
}

/**
 * Returns the version in the plugin's own package.json; undefined when it has none. A built-in plugin has the version
 * of muster.
 */
export function versionOf({ source, file }: FoundPlugin): string | undefined {
  if (file === undefined) return undefined;
  try {
    // A plugin folder inside a project does not have the version of the project.
    const manifest = source === 'path' ? join(dirname(file), 'package.json') : findPackageJSON(pathToFileURL(file));
    const { version } = JSON.parse(readFileSync(manifest ?? '', 'utf8')) as { readonly version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
