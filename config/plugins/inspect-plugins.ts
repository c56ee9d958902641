import { pathToFileURL } from 'node:url';
import { isPlugin, type Plugin } from '../../core/contract/plugin.ts';
import { findPlugin, type FoundPlugin } from './find-plugin.ts';
import { enableSelfReference } from './self-reference.ts';
import { unreadable } from './plugin-shape.ts';
import { whyForeign, whyForeignFile } from '../checks/why-foreign.ts';

/** A plugin that is named, as far as it could be had. */
export interface InspectedPlugin {
  /** As the configuration calls it. */
  readonly name: string;
  readonly found: FoundPlugin;
  /** Absent: it cannot be used at all. */
  readonly plugin?: Plugin;
  /** The contract that it says it was written for, whether that fits or not. */
  readonly contract?: number;
  /** Why it cannot be used, each a sentence with what to do. */
  readonly problems: readonly string[];
}

/** Loads what plugins can be had, in the order of their names, and says of each what is wrong with it alone and beside the others. */
export async function inspectPlugins(names: readonly string[], cwd: string): Promise<readonly InspectedPlugin[]> {
  const loaded: Loaded[] = [];
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index)
      loaded.push({ name, found: { tried: [] }, problems: [`Plugin '${name}' is listed twice. Remove one of the two.`] });
    else loaded.push(await load(name, cwd));
  }
  for (const [index, { plugin, name, problems }] of loaded.entries()) {
    if (!plugin) continue;
    const other = loaded.slice(0, index).find((each) => each.plugin?.name === plugin.name);
    if (other) problems.push(`Plugin '${name}' calls itself '${plugin.name}' as '${other.name}' does. Remove one of the two.`);
    for (const required of plugin.requires ?? []) {
      const there = loaded.some((each) => each.plugin?.name === required) || names.includes(required);
      if (!there) problems.push(`Plugin '${plugin.name}' requires the plugin '${required}'. Add it to plugins.`);
    }
  }
  tellCollisions(loaded);
  return loaded;
}

interface Loaded extends InspectedPlugin {
  readonly problems: string[];
}

async function load(name: string, cwd: string): Promise<Loaded> {
  let found: FoundPlugin = { tried: [] };
  const wrong = (problem: string): Loaded => ({ name, found, problems: [problem] });
  try {
    found = findPlugin(name, cwd);
  } catch (cause) {
    return wrong(`Plugin '${name}' cannot be looked for: ${cause instanceof Error ? cause.message : String(cause)}. Fix the path.`);
  }
  const { file, tried } = found;
  if (file === undefined) return wrong(`Plugin '${name}' was not found. Tried: ${tried.join(', ')}. Install it or fix the path.`);
  const foreign = foreignCode(found, cwd);
  if (foreign !== undefined)
    return wrong(`Plugin '${name}' (${file}) is not loaded: ${foreign}. Change the rights, or install it where nobody else may write.`);
  if (found.source !== 'built-in') enableSelfReference();
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (cause) {
    return wrong(`Plugin '${name}' failed to load from ${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  const { default: plugin } = module;
  if (!isPlugin(plugin)) return wrong(`Plugin '${name}' (${file}) is not a plugin: its default export was not made with definePlugin.`);
  const { contract } = plugin;
  const unfit =
    contract === 1
      ? unreadable(plugin)
      : `was written for contract ${String(contract)}; this muster has contract 1. Install a version that fits.`;
  if (unfit !== undefined) return { ...wrong(`Plugin '${name}' ${unfit}`), contract };
  return { name, found, plugin, contract, problems: [] };
}

/**
 * Why others decide what a plugin does. A package is looked for in every directory above the configuration. A path is
 * what the configuration says, and where that itself is another user's, somebody named it all the same.
 */
function foreignCode({ source, file }: FoundPlugin, cwd: string): string | undefined {
  if (file === undefined || source === 'built-in') return undefined;
  return source === 'package' || whyForeign(cwd) === undefined ? whyForeignFile(file) : undefined;
}

/** Two plugins that bring the same thing: it would depend on their order which one serves. */
function tellCollisions(loaded: readonly Loaded[]): void {
  const owners = new Map<string, Plugin>();
  for (const { plugin, problems } of loaded) {
    for (const what of plugin ? contributionsOf(plugin) : []) {
      const owner = owners.get(what);
      if (owner && owner !== plugin)
        problems.push(`Plugin '${plugin?.name}' brings the ${what}, which '${owner.name}' brings already. Remove one of the two.`);
      else if (plugin) owners.set(what, plugin);
    }
  }
}

/** What a plugin brings that no other may bring too, each in words: `provider type 'cloud'`. */
const contributionsOf = (plugin: Plugin): string[] => [
  ...(plugin.providers ?? []).flatMap((each) => [each.type, ...(each.aliases ?? [])].map((name) => `provider type '${name}'`)),
  ...(plugin.providerApis ?? []).map((each) => `provider API '${each.name}' of '${each.type}'`),
  ...(plugin.schedulers ?? []).map((each) => `scheduler strategy '${each.name}'`),
  ...(plugin.storages ?? []).map((each) => `storage '${each.type}'`),
  // By its name it is known how far a sink got.
  ...(plugin.eventSinks ?? []).map((each) => `event sink '${each.name}'`),
  ...(plugin.endpoints ?? []).map((each) => `endpoint scheme '${each.scheme}:'`),
];
