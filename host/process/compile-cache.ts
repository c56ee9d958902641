import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

/** Beside the sources after an install, beside what was built of them in a package. */
const bundle = new URL('../../bundled/typebox/', import.meta.url);
const own = new URL('../..', import.meta.url).href;

/**
 * The first thing in every process and thread: everything else is loaded from the cache of an earlier start, stripped and compiled, and typebox from
 * few files instead of hundreds. Without either it merely takes longer and more memory.
 */
export function useCompileCache(): void {
  const cache = compileCache();
  if (cache !== undefined) module.enableCompileCache(cache);
  const files = bundledFiles();
  if (!files) return;
  module.registerHooks({
    resolve(specifier, context, next) {
      const url = files[specifier];
      if (url === undefined) return next(specifier, context);
      const { parentURL = '' } = context;
      // A plugin from elsewhere may have another typebox of its own; the same one should not be loaded twice.
      const isOurs = parentURL.startsWith(own) && !parentURL.includes('/node_modules/', own.length);
      if (!isOurs) {
        const theirs = next(specifier, context);
        if (theirs.url !== next(specifier, { ...context, parentURL: import.meta.url }).url) return theirs;
      }
      return { url, format: 'module', shortCircuit: true };
    },
  });
}

/**
 * Where compiled code is kept. Node runs what it finds there, and by itself would take a directory below the temporary
 * one, which whoever is first may own: so only what the launcher has looked at, or Windows keeps for the user alone.
 */
function compileCache(): string | undefined {
  const { NODE_COMPILE_CACHE: named, LOCALAPPDATA: own } = process.env;
  if (named) return named;
  return process.platform === 'win32' && own ? join(own, 'muster', 'compile') : undefined;
}

/** By what is imported; undefined: there is no bundle. */
function bundledFiles(): Readonly<Record<string, string>> | undefined {
  try {
    const { files } = JSON.parse(readFileSync(new URL('files.json', bundle), 'utf8')) as { files: Record<string, string> };
    return Object.fromEntries(Object.entries(files).map(([specifier, file]) => [specifier, new URL(file, bundle).href]));
  } catch {
    return undefined;
  }
}
