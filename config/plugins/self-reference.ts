import { registerHooks } from 'node:module';

/** Beside the sources they are sources, in a package what was built of them. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const entry = (path: string) => new URL(`../../${path}.${extension}`, import.meta.url).href;
const entries: Readonly<Record<string, string>> = {
  muster: entry('host/package/index'),
  'muster/sdk': entry('host/sdk/index'),
  'muster/storage-memory': entry('plugins/storage-memory/index'),
  'muster/plugin-testkit': entry('plugin-testkit/index'),
};

let answers = false;

/**
 * Lets a plugin import `muster` from wherever it lies: one that is loaded by path often has no `node_modules` above it, and muster may be installed
 * somewhere else. It always gets the muster that loads it, never a second one. `typebox` is found too where a plugin has none of its own.
 */
export function enableSelfReference(): void {
  if (answers) return;
  answers = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (Object.hasOwn(entries, specifier)) return { url: entries[specifier] as string, shortCircuit: true };
      if (specifier !== 'typebox') return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}
