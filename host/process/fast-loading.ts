import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { bundledFiles } from './bundled-program.ts';

const own = new URL('../..', import.meta.url).href;
/** The bundles lie beside the sources after an install, and beside the compiled files in a package. */
const typebox = new URL('bundled/typebox/', own).href;
const program = new URL('bundled/program/', own).href;
const sources = ['core/', 'plugins/', 'host/', 'config/', 'plugin-testkit/'].map((folder) => `${own}${folder}`);
/** `.ts` in the sources, `.js` in a package. */
const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const format = ending === '.ts' ? 'module-typescript' : 'module';
/** Under which a thread leaves the entries to the threads that it starts. */
const entriesKey = 'muster: entries of the bundle';
let isUsed = false;

/**
 * Makes the process load faster: compiled code from the cache of an earlier start, muster and the libraries that a
 * start needs from a few bundled files instead of a thousand. Call it first in every process and thread. Without cache
 * or bundle, and when a source changed since it was bundled, loading only takes longer and more memory. `bundled`:
 * whether muster itself is loaded from its bundle. The first call in a thread decides: a file that is loaded before
 * all others and changes sources of muster calls it with `false`.
 */
export function useFastLoading({ bundled = true }: { readonly bundled?: boolean } = {}): void {
  if (isUsed) return;
  isUsed = true;
  const cache = compileCache();
  if (cache !== undefined) module.enableCompileCache(cache);
  const parts = bundledTypebox();
  const entries = bundled ? bundledEntries() : {};
  module.registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (specifier.startsWith('.') || specifier.startsWith('file:')) {
        const { href } = new URL(specifier, parentURL);
        const entry = entries[href];
        if (entry !== undefined) return { url: entry, format: 'module', shortCircuit: true };
        // Node would look for the file, follow its links and read the package.json above it: a fifth of the start.
        if (href.startsWith(program)) return { url: href, format: 'module', shortCircuit: true };
        if (specifier.startsWith('.') && specifier.endsWith(ending) && isOwnFile(parentURL))
          return { url: href, format, shortCircuit: true };
      }
      const url = parts?.[specifier];
      if (url === undefined) {
        const resolved = next(specifier, context);
        // By a path, or through a link.
        const entry = entries[resolved.url];
        return entry === undefined ? resolved : { url: entry, format: 'module', shortCircuit: true };
      }
      // A plugin outside of muster may have its own typebox. It gets the bundle only when both are the same package,
      // so that typebox is loaded once.
      const isOurs = parentURL?.startsWith(own) && !parentURL.includes('/node_modules/', own.length);
      if (!isOurs) {
        const resolved = next(specifier, context);
        if (resolved.url !== next(specifier, { ...context, parentURL: import.meta.url }).url) return resolved;
      }
      return { url, format: 'module', shortCircuit: true };
    },
  });
}

const isOwnFile = (url: string | undefined): boolean => sources.some((folder) => url?.startsWith(folder));

/**
 * The directory of compiled code; undefined: no cache. Node executes what the directory contains, and its default lies
 * below the temporary directory, which another user may own. So the cache is only a directory that the launcher has
 * checked, or that Windows keeps for the user.
 */
function compileCache(): string | undefined {
  const { NODE_COMPILE_CACHE: named, LOCALAPPDATA: own } = process.env;
  if (named) return named;
  return process.platform === 'win32' && own ? join(own, 'muster', 'compile') : undefined;
}

/** The URL of each bundled file of typebox by import specifier; undefined when there is no bundle. */
function bundledTypebox(): Readonly<Record<string, string>> | undefined {
  try {
    const { files } = JSON.parse(readFileSync(new URL('files.json', typebox), 'utf8')) as {
      files: Record<string, string>;
    };
    return Object.fromEntries(Object.entries(files).map(([specifier, file]) => [specifier, `${typebox}${file}`]));
  } catch {
    return undefined;
  }
}

/**
 * The URL of the bundled file of each source that is imported from outside of the bundle. Empty: there is none. A
 * thread takes what was found by the one that started it: all threads of a server run the same code, also when the
 * sources were changed or updated meanwhile. Comparing 1 400 sources once more would take its time, too.
 */
function bundledEntries(): Readonly<Record<string, string>> {
  const known = getEnvironmentData(entriesKey) as unknown as Readonly<Record<string, string>> | undefined;
  if (known !== undefined) return known;
  const { entries = {} } = bundledFiles(fileURLToPath(program), fileURLToPath(own)) ?? {};
  const found = Object.fromEntries(
    Object.entries(entries).map(([source, file]) => [`${own}${source}`, `${program}${file}`]),
  );
  setEnvironmentData(entriesKey, found);
  return found;
}
