import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CosmiconfigResult, Loader, Options } from 'cosmiconfig';
import * as internals from 'cosmiconfig/dist/Explorer.js';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Finding } from '../../core/contract/findings.ts';
import { configurationIn, searchPlaces, searched } from './search-places.ts';
import { readText } from './source-text.ts';
import { whyForeignFile } from '../checks/why-foreign.ts';

/** A configuration file, read and not yet checked. */
export interface ConfigurationSource {
  readonly file: string;
  /** What relative paths in it are relative to. */
  readonly directory: string;
  readonly value: unknown;
  /** Where a JSON pointer stands: `file:line:column`, or the file alone for programs. */
  place(pointer: string): string;
}

// cosmiconfig only finds the file here: it is read below, with the places of what stands in it. A package.json that is broken is not ours to tell.
const present: Loader = (file, content) => (basename(file) === 'package.json' ? packageOf(content) : { found: true });
const packageOf = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return {};
  }
};

/**
 * The part of cosmiconfig that looks, of which its types say nothing. `cosmiconfig()` itself would first run what it finds
 * of its own in the working directory, as `.config/config.js`, whoever put it there.
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
    loaders: Object.fromEntries(['.yaml', '.yml', '.json', '.ts', '.mjs', '.js', 'noExt'].map((extension) => [extension, present])),
    searchStrategy: 'none',
    cache: false,
    ignoreEmptySearchPlaces: false,
    transform: (found) => found,
  });

/**
 * The configuration file that is in force, read; undefined when nothing is named and nothing is found. One that others
 * decide about is passed over with a warning where it lies above the working directory; INVALID_CONFIGURATION where it
 * lies there, or where the file itself is another user's.
 */
export async function findConfiguration(cwd: string, findings: Finding[]): Promise<ConfigurationSource | undefined> {
  const explorer = finder();
  const { directories, beyond, why = '' } = searched(cwd);
  for (const directory of directories) {
    const found = await explorer.search(directory);
    // A package.json without the field is found with an undefined configuration.
    if (!found || (basename(found.filepath) === 'package.json' && found.config === undefined)) continue;
    requireOwn(found.filepath);
    return readConfiguration(found.filepath);
  }
  const [passed] = beyond.flatMap((directory) => configurationIn(directory) ?? []);
  if (passed === undefined) return undefined;
  if (directories.length === 0) throw notOurs(passed, why);
  findings.push({ level: 'warning', path: '', message: `${passed} is not used: ${why}. Name it with --config if you trust it` });
  return undefined;
}

/** Reads a file that somebody named. FILE_NOT_FOUND or PARSE_ERROR; INVALID_CONFIGURATION for a program that others decide about. */
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

/** Whoever writes a configuration decides which code runs. */
function requireOwn(file: string): void {
  const why = whyForeignFile(file);
  if (why !== undefined) throw notOurs(file, why);
}

function notOurs(file: string, why: string): BrokerError {
  const otherwise = isProgram(file)
    ? 'A program runs only where nobody but you and root can change it: copy it, change its rights, or write YAML and name that with --config.'
    : 'Name it with --config if you trust it, or change its rights.';
  return new BrokerError('INVALID_CONFIGURATION', `The configuration ${file} is not used: ${why}. ${otherwise}`, { file });
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
    throw new BrokerError('INVALID_CONFIGURATION', `The configuration file ${file} cannot be read: ${reason}.`, { file }, { cause });
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

/** Line and column from the first frame of the stack that is in the file itself. */
function placeIn(file: string, cause: unknown): { readonly line?: number; readonly column?: number } {
  const stack = cause instanceof Error ? (cause.stack ?? '') : '';
  const after = stack.split(file)[1] ?? '';
  const found = /^:(\d+)(?::(\d+))?/.exec(after);
  return found ? { line: Number(found[1]), ...(found[2] ? { column: Number(found[2]) } : {}) } : {};
}
