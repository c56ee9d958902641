import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPlugin } from '../../../config/plugins/find-plugin.ts';
import type { Plugin } from '../../../core/contract/plugin.ts';
import type { ProviderInstance } from '../../../core/model/provider-instance.ts';

/** Where plugins that are not muster's own lie, and the provider instances that each serves. */
export type PluginPlaces = readonly { readonly root: string; readonly instances: readonly string[] }[];

/** `names`: the plugins as the configuration calls them, in the order of `plugins`. */
export function placesOf(
  names: readonly string[],
  plugins: readonly Plugin[],
  instances: readonly ProviderInstance[],
  cwd: string,
): PluginPlaces {
  return plugins.flatMap((plugin, index) => {
    const { source, file } = findPlugin(names[index] ?? '', cwd);
    if (file === undefined || source === 'built-in') return [];
    const types = new Set([...(plugin.providers ?? []), ...(plugin.providerApis ?? [])].map(({ type }) => type));
    const mine = instances.filter(({ type }) => types.has(type)).map(({ name }) => name);
    // A plugin that is a file by itself may have strangers beside it.
    const whole = /^index\.\w+$/.test(basename(file)) || source === 'package';
    const root = pathToFileURL(whole ? dirname(file) : file).href;
    return [{ root: whole ? `${root}/` : root, instances: mine }];
  });
}

/**
 * The instances of the plugin in whose code an error arose, by the innermost place in its stack that is not Node's.
 */
export function instancesOf(error: unknown, places: PluginPlaces): readonly string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const place = lines.flatMap((line) => /\((file:[^)]*)\)|at (file:\S+)/.exec(line) ?? []).find((found) => found.startsWith('file:'));
  return place === undefined ? [] : (places.find(({ root }) => place.startsWith(root))?.instances ?? []);
}
