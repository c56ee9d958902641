import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPlugin } from '../../../config/plugins/find-plugin.ts';
import type { Plugin } from '../../../core/contract/plugin.ts';
import type { ProviderInstance } from '../../../core/model/provider-instance.ts';

/** The root URLs of plugins that are not built in, and the provider instances that each plugin serves. */
export type PluginRoots = readonly { readonly root: string; readonly instances: readonly string[] }[];

/** Returns the roots of the plugins. `names`: the configured names, in the order of `plugins`. */
export function pluginRootsOf(
  names: readonly string[],
  plugins: readonly Plugin[],
  instances: readonly ProviderInstance[],
  cwd: string,
): PluginRoots {
  return plugins.flatMap((plugin, index) => {
    const { source, file } = findPlugin(names[index] ?? '', cwd);
    if (file === undefined || source === 'built-in') return [];
    const types = new Set([...(plugin.providers ?? []), ...(plugin.providerApis ?? [])].map(({ type }) => type));
    const served = instances.filter(({ type }) => types.has(type)).map(({ name }) => name);
    // The directory of a single-file plugin may hold other code.
    const isDirectory = /^index\.\w+$/.test(basename(file)) || source === 'package';
    const root = pathToFileURL(isDirectory ? dirname(file) : file).href;
    return [{ root: isDirectory ? `${root}/` : root, instances: served }];
  });
}

/** Returns the instances of the plugin whose code threw an error, by the innermost stack frame outside of Node. */
export function instancesOf(error: unknown, roots: PluginRoots): readonly string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const place = lines
    .flatMap((line) => /\((file:[^)]*)\)|at (file:\S+)/.exec(line) ?? [])
    .find((found) => found.startsWith('file:'));
  return place === undefined ? [] : (roots.find(({ root }) => place.startsWith(root))?.instances ?? []);
}
