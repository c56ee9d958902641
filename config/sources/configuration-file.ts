import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CosmiconfigResult, Loader, Options } from 'cosmiconfig';
import * as internals from 'cosmiconfig/dist/Explorer.js';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Finding } from '../../core/contract/findings.ts';
import { configurationIn, searchPlaces, searched } from './search-places.ts';
import { readText } from './source-text.ts';
import { whyUntrustedFile } from '../checks/why-untrusted.ts';

/** A configuration file that is read and not yet checked. */
export interface ConfigurationSource {
  readonly file: string;
  /** The directory from which relative paths in the file are resolved. */
  readonly directory: string;
  readonly value: unknown;
  /** The place of a JSON pointer: `file:line:column`, or only the file when it is a program. */
  place(pointer: string): string;
}

// cosmiconfig only finds the file. `readConfiguration` reads it, with the places of its values. A broken package.json
// counts as one without configuration.
const present: Loader = (file, content) => (basename(file) === 'package.json' ? packageOf(content) : { found: true });
const packageOf = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return {};
  }
};

/**
 * The search of cosmiconfig, which its types do not declare. `cosmiconfig()` itself would first execute its own
 * configuration from the working directory, such as `.config/config.js`, whichever user wrote that file.
 */
const { Explorer } = internals as unknown as {
  readonly Explorer: new (
    options: Partial<Options> & { readonly moduleName: string },
  ) => { search(directory: string): Promise<CosmiconfigResult> };
};
const finder = () =>
  new Explorer({
    moduleName: 'muster',
    searchPlaces: [...searchPlaces],
    loaders: Object.fromEntries(
      ['.yaml', '.yml', '.json', '.ts', '.mjs', '.js', 'noExt'].map((extension) => [extension, present]),
    ),
    searchStrategy: 'none',
    cache: false,
    ignoreEmptySearchPlaces: false,
    transform: (found) => found,
  });

/**
 * Finds and reads the configuration file. Returns undefined when the search finds none. A file that other users can
 * change is skipped with a warning when it lies above the working directory. Throws INVALID_CONFIGURATION when such a
 * file lies in the working directory, or when the found file belongs to another user.
 */
export async function findConfiguration(cwd: string, findings: Finding[]): Promise<ConfigurationSource | undefined> {
  const explorer = finder();
  const { directories, beyond, why = '' } = searched(cwd);
  for (const directory of directories) {
    const found = await explorer.search(directory);
    // A package.json without the field `muster` is found with an undefined configuration.
    if (!found || (basename(found.filepath) === 'package.json' && found.config === undefined)) continue;
    requireOwn(found.filepath);
    return readConfiguration(found.filepath);
  }
  const [skipped] = beyond.flatMap((directory) => configurationIn(directory) ?? []);
  if (skipped === undefined) return undefined;
  if (directories.length === 0) throw notTrusted(skipped, why);
  findings.push({
    level: 'warning',
    path: '',
    message: `${skipped} is not used: ${why}. Pass it with --config if you trust it`,
  });
  return undefined;
}

/**
 * Reads a configuration file given by its path. Throws FILE_NOT_FOUND, PARSE_ERROR, or INVALID_CONFIGURATION for a
 * program that other users can change.
 */
export async function readConfiguration(path: string): Promise<ConfigurationSource> {
  const file = resolve(path);
  const directory = dirname(file);
  if (isProgram(file)) {
    await read(file);
    requireOwn(file);
    return { file, directory, value: await evaluate(file), place: () => file };
  }
  const source = readText(file, await read(file));
  if (basename(file) !== 'package.json') return { file, directory, ...source };
  const whole = source.value as { muster?: unknown } | undefined;
  return { file, directory, value: whole?.muster, place: (pointer) => source.place(`/muster${pointer}`) };
}

const isProgram = (file: string): boolean => ['.ts', '.mts', '.mjs', '.js'].includes(extname(file));

/** Throws when other users can change the file: a configuration decides which code runs. */
function requireOwn(file: string): void {
  const why = whyUntrustedFile(file);
  if (why !== undefined) throw notTrusted(file, why);
}

function notTrusted(file: string, why: string): BrokerError {
  const remedy = isProgram(file)
    ? 'A program runs only when no user except you and root can change it: copy it, change its permissions, or write the configuration in YAML and pass that file with --config.'
    : 'Pass it with --config if you trust it, or change its permissions.';
  return new BrokerError('INVALID_CONFIGURATION', `The configuration ${file} is not used: ${why}. ${remedy}`, {
    file,
  });
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new BrokerError('FILE_NOT_FOUND', `The configuration file ${file} does not exist.`, { file }, { cause });
    }
    const reason = code === 'EISDIR' ? 'it is a directory' : code === 'EACCES' ? 'permission denied' : String(cause);
    throw new BrokerError(
      'INVALID_CONFIGURATION',
      `The configuration file ${file} cannot be read: ${reason}.`,
      { file },
      { cause },
    );
  }
}

async function evaluate(file: string): Promise<unknown> {
  try {
    const { default: exported } = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return await (typeof exported === 'function' ? exported() : exported);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const where = placeIn(file, cause);
    throw new BrokerError('PARSE_ERROR', `${file}: ${reason}`, { file, ...where, reason }, { cause });
  }
}

/** Line and column of the first stack frame that lies in the file. */
function placeIn(file: string, cause: unknown): { readonly line?: number; readonly column?: number } {
  const stack = cause instanceof Error ? (cause.stack ?? '') : '';
  const after = stack.split(file)[1] ?? '';
  const found = /^:(\d+)(?::(\d+))?/.exec(after);
  return found ? { line: Number(found[1]), ...(found[2] ? { column: Number(found[2]) } : {}) } : {};
}
