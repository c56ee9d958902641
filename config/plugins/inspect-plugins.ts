import { pathToFileURL } from 'node:url';
import { isPlugin, type Plugin } from '../../core/contract/plugin.ts';
import { recordVersion } from '../../core/wiring/contributed-by.ts';
import { findPlugin, type FoundPlugin } from './find-plugin.ts';
import { enableSelfReference } from './self-reference.ts';
import { pluginVersion } from './plugin-version.ts';
import { declarationProblem } from './declaration-problem.ts';
import { shapeProblem } from './plugin-shape.ts';
import { whyUntrusted, whyUntrustedFile } from '../checks/why-untrusted.ts';

/** A configured plugin, loaded as far as possible. */
export interface InspectedPlugin {
  /** The name in the configuration. */
  readonly name: string;
  readonly found: FoundPlugin;
  /** Absent: the plugin cannot be used. */
  readonly plugin?: Plugin;
  /** The contract version that the plugin declares, whether muster supports it or not. */
  readonly contract?: number;
  /** Why the plugin cannot be used. Each entry is a sentence with the remedy. */
  readonly problems: readonly string[];
}

/**
 * Loads every plugin that can be loaded, in the order of the names. Reports for each plugin its own problems and its
 * conflicts with the other plugins.
 */
export async function inspectPlugins(names: readonly string[], cwd: string): Promise<readonly InspectedPlugin[]> {
  const loaded: Loaded[] = [];
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index)
      loaded.push({
        name,
        found: { tried: [] },
        problems: [`Plugin '${name}' is listed twice. Remove one of the two.`],
      });
    else loaded.push(await load(name, cwd));
  }
  for (const [index, { plugin, name, problems }] of loaded.entries()) {
    if (!plugin) continue;
    const other = loaded.slice(0, index).find((each) => each.plugin?.name === plugin.name);
    if (other)
      problems.push(`Plugin '${name}' calls itself '${plugin.name}' as '${other.name}' does. Remove one of the two.`);
    for (const required of plugin.requires ?? []) {
      const there = loaded.some((each) => each.plugin?.name === required) || names.includes(required);
      if (!there) problems.push(`Plugin '${plugin.name}' requires the plugin '${required}'. Add it to plugins.`);
    }
  }
  addCollisions(loaded);
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
    return wrong(
      `Plugin '${name}' cannot be resolved: ${cause instanceof Error ? cause.message : String(cause)}. Fix the path.`,
    );
  }
  const { file, tried } = found;
  if (file === undefined)
    return wrong(`Plugin '${name}' was not found. Tried: ${tried.join(', ')}. Install it or fix the path.`);
  const foreign = foreignCode(found, cwd);
  if (foreign !== undefined)
    return wrong(
      `Plugin '${name}' (${file}) is not loaded: ${foreign}. Change the permissions, or install it where no other user can write.`,
    );
  if (found.source !== 'built-in') enableSelfReference();
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (cause) {
    return wrong(
      `Plugin '${name}' failed to load from ${file}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  const { default: plugin } = module;
  if (!isPlugin(plugin))
    return wrong(`Plugin '${name}' (${file}) is not a plugin: its default export was not made with definePlugin.`);
  const { contract } = plugin;
  // What the built-in plugins declare is looked at by a test: a start has no time for it.
  const unfit =
    contract === 1
      ? (shapeProblem(plugin) ?? (found.source === 'built-in' ? undefined : declarationProblem(plugin)))
      : `was written for contract ${String(contract)}; this muster has contract 1. Install a version that fits.`;
  if (unfit !== undefined) return { ...wrong(`Plugin '${name}' ${unfit}`), contract };
  recordVersion(plugin, pluginVersion(found));
  return { name, found, plugin, contract, problems: [] };
}

/**
 * Why other users can change the code of a plugin; undefined when they cannot. Packages are searched in every
 * directory above the configuration. The configuration names a path explicitly; a path is accepted when other users
 * control the configuration directory itself.
 */
function foreignCode({ source, file }: FoundPlugin, cwd: string): string | undefined {
  if (file === undefined || source === 'built-in') return undefined;
  return source === 'package' || whyUntrusted(cwd) === undefined ? whyUntrustedFile(file) : undefined;
}

/**
 * Adds a problem for each contribution that an earlier plugin already makes. Otherwise the order of the plugins would
 * decide which one serves.
 */
function addCollisions(loaded: readonly Loaded[]): void {
  const owners = new Map<string, Plugin>();
  for (const { plugin, problems } of loaded) {
    for (const what of plugin ? contributionsOf(plugin) : []) {
      const owner = owners.get(what);
      if (owner && owner !== plugin)
        problems.push(
          `Plugin '${plugin?.name}' contributes the ${what}, which '${owner.name}' already contributes. Remove one of the two.`,
        );
      else if (plugin) owners.set(what, plugin);
    }
  }
}

/** The contributions of a plugin that must be unique, as text: `provider type 'cloud'`. */
const contributionsOf = (plugin: Plugin): string[] => [
  ...(plugin.providers ?? []).flatMap((each) =>
    [each.type, ...(each.aliases ?? [])].map((name) => `provider type '${name}'`),
  ),
  ...(plugin.providerApis ?? []).map((each) => `provider API '${each.name}' of '${each.type}'`),
  ...(plugin.schedulers ?? []).map((each) => `scheduler strategy '${each.name}'`),
  ...(plugin.storages ?? []).map((each) => `storage '${each.type}'`),
  // The delivery position of a sink is stored under its name.
  ...(plugin.eventSinks ?? []).map((each) => `event sink '${each.name}'`),
  ...(plugin.eventSinkTypes ?? []).map((each) => `event sink type '${each.type}'`),
  ...(plugin.endpoints ?? []).map((each) => `endpoint scheme '${each.scheme}:'`),
];
