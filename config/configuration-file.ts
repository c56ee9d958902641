import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cosmiconfig, type Loader } from 'cosmiconfig';
import { BrokerError } from '../core/errors.ts';
import { searchPlaces } from './search-places.ts';
import { readText } from './source-text.ts';

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

/** The configuration file that is in force, read; undefined when nothing is named and nothing is found. */
export async function findConfiguration(cwd: string): Promise<ConfigurationSource | undefined> {
  const loaders = Object.fromEntries(['.yaml', '.yml', '.json', '.ts', '.mjs', '.js', 'noExt'].map((extension) => [extension, present]));
  const explorer = cosmiconfig('muster', {
    searchPlaces,
    loaders,
    searchStrategy: 'project',
    cache: false,
    ignoreEmptySearchPlaces: false,
  });
  const found = await explorer.search(cwd);
  // A package.json without the field is found with an undefined configuration.
  if (!found || (basename(found.filepath) === 'package.json' && found.config === undefined)) return undefined;
  return readConfiguration(found.filepath);
}

/** Reads a file that somebody named. FILE_NOT_FOUND or PARSE_ERROR. */
export async function readConfiguration(path: string): Promise<ConfigurationSource> {
  const file = resolve(path);
  const directory = dirname(file);
  if (['.ts', '.mts', '.mjs', '.js'].includes(extname(file))) {
    await read(file);
    return { file, directory, value: await evaluate(file), place: () => file };
  }
  const source = readText(file, await read(file));
  if (basename(file) !== 'package.json') return { file, directory, ...source };
  const whole = source.value as { muster?: unknown } | undefined;
  return { file, directory, value: whole?.muster, place: (pointer) => source.place(`/muster${pointer}`) };
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
