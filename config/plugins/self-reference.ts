import { registerHooks, type ResolveHookSync } from 'node:module';

type Next = Parameters<ResolveHookSync>[2];
type Context = Parameters<ResolveHookSync>[1];

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
      const url = Object.hasOwn(entries, specifier) ? entries[specifier] : undefined;
      if (url !== undefined) return resolvedBy(next, url, context);
      if (specifier !== 'typebox') return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}

/** The URL as the hooks before this one resolve it. `require` resolves no URL that they leave alone. */
function resolvedBy(next: Next, url: string, context: Context): ReturnType<Next> {
  try {
    return next(url, context);
  } catch {
    return { url, shortCircuit: true };
  }
}
