import { registerHooks } from 'node:module';

/** The entries are .ts in the sources and .js in a build. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const entry = (path: string) => new URL(`../../${path}.${extension}`, import.meta.url).href;
const entries: Readonly<Record<string, string>> = {
  muster: entry('host/package/index'),
  'muster/sdk': entry('host/sdk/index'),
  'muster/storage-memory': entry('plugins/storage-memory/index'),
  'muster/plugin-testkit': entry('plugin-testkit/index'),
};

let isEnabled = false;

/**
 * Lets a plugin import `muster` from any directory: a plugin that is loaded by path often has no `node_modules` above
 * it, and muster may be installed elsewhere. The import always resolves to the muster that loads the plugin, never to
 * a second copy. `typebox` resolves to muster's copy when the plugin has none. Idempotent.
 */
export function enableSelfReference(): void {
  if (isEnabled) return;
  isEnabled = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (Object.hasOwn(entries, specifier)) return next(entries[specifier] as string, context);
      if (specifier !== 'typebox') return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}
