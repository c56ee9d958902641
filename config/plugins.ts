import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BrokerError } from '../core/errors.ts';
import { sentences, type Finding } from '../core/findings.ts';
import { isPlugin, type Plugin } from '../core/plugin.ts';
import { packageEntry } from './package-entry.ts';

export interface LoadPluginsOptions {
  /** Where packages and paths are resolved from: the directory of the configuration file. */
  readonly cwd: string;
}

/**
 * Loads plugins in the order of their names: built-in name, package, or path. Throws INVALID_CONFIGURATION with a finding (`/plugins/0`)
 * for each one that is not found, cannot load, is not a plugin, is named twice, lacks a plugin that it requires, or contributes what another did.
 */
export async function loadPlugins(names: readonly string[], options: LoadPluginsOptions): Promise<readonly Plugin[]> {
  const findings: Finding[] = [];
  const say = (index: number, message: string) => findings.push({ level: 'error', path: `/plugins/${index}`, message });
  const loaded: { readonly plugin: Plugin; readonly index: number }[] = [];
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) {
      say(index, `Plugin '${name}' is listed twice. Remove one of the two.`);
      continue;
    }
    try {
      loaded.push({ plugin: await loadPlugin(name, options.cwd), index });
    } catch (error) {
      say(index, error instanceof Error ? error.message : String(error));
    }
  }
  for (const { plugin, index } of loaded) {
    const other = loaded.find((each) => each.index < index && each.plugin.name === plugin.name);
    if (other) say(index, `Plugin '${names[index]}' calls itself '${plugin.name}' as '${names[other.index]}' does. Remove one of the two.`);
    for (const required of plugin.requires ?? []) {
      const there = loaded.some((each) => each.plugin.name === required) || names.includes(required);
      if (!there) say(index, `Plugin '${plugin.name}' requires the plugin '${required}'. Add it to plugins.`);
    }
  }
  for (const { index, message } of collisions(loaded)) say(index, message);
  if (findings.length === 0) return loaded.map(({ plugin }) => plugin);
  throw new BrokerError('INVALID_CONFIGURATION', `Plugins cannot be loaded: ${sentences(findings)}`, { findings });
}

const isPath = (name: string): boolean => /^(\.{0,2}[/\\]|\.{1,2}$|file:|[A-Za-z]:[/\\])/.test(name);

// This file runs as .ts from the sources and as .js from a build; the built-in plugins beside it do the same.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

async function loadPlugin(name: string, cwd: string): Promise<Plugin> {
  const { file, tried } = isPath(name) ? byPath(name, cwd) : byName(name, cwd);
  if (file === undefined) throw new Error(`Plugin '${name}' was not found. Tried: ${tried.join(', ')}. Install it or fix the path.`);
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Plugin '${name}' failed to load from ${file}: ${reason}`, { cause });
  }
  if (!isPlugin(module.default)) {
    throw new Error(`Plugin '${name}' (${file}) is not a plugin: its default export was not made with definePlugin.`);
  }
  if (module.default.contract !== 1) {
    throw new Error(
      `Plugin '${name}' was written for contract ${String(module.default.contract)}; this muster has contract 1. Install a version that fits.`,
    );
  }
  return module.default;
}

interface Search {
  readonly file?: string;
  readonly tried: readonly string[];
}

function byPath(name: string, cwd: string): Search {
  const path = name.startsWith('file:') ? fileURLToPath(name) : resolve(cwd, name);
  if (existsSync(path) && statSync(path).isFile()) return { file: path, tried: [path] };
  const candidates = ['ts', 'js', 'mjs'].map((each) => join(path, `index.${each}`));
  const file = candidates.find((candidate) => existsSync(candidate));
  return { ...(file === undefined ? {} : { file }), tried: [path, ...(existsSync(path) ? candidates : [])] };
}

function byName(name: string, cwd: string): Search {
  const tried = [`plugins/${name}`, `package '${name}' from ${cwd}`];
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) {
    const builtIn = fileURLToPath(new URL(`../plugins/${name}/index.${extension}`, import.meta.url));
    if (existsSync(builtIn)) return { file: builtIn, tried };
  }
  const file = packageEntry(name, cwd);
  return { ...(file === undefined ? {} : { file }), tried };
}

/** Two plugins that bring the same thing: it would depend on their order which one serves. */
function collisions(
  loaded: readonly { readonly plugin: Plugin; readonly index: number }[],
): { readonly index: number; readonly message: string }[] {
  const owners = new Map<string, Plugin>();
  return loaded.flatMap(({ plugin, index }) =>
    contributions(plugin).flatMap((what) => {
      const owner = owners.get(what);
      if (owner && owner !== plugin)
        return [
          { index, message: `Plugin '${plugin.name}' brings the ${what}, which '${owner.name}' brings already. Remove one of the two.` },
        ];
      owners.set(what, plugin);
      return [];
    }),
  );
}

const contributions = (plugin: Plugin): string[] => [
  ...(plugin.providers ?? []).flatMap((each) => [each.type, ...(each.aliases ?? [])].map((name) => `provider type '${name}'`)),
  ...(plugin.providerApis ?? []).map((each) => `provider API '${each.name}' of '${each.type}'`),
  ...(plugin.schedulers ?? []).map((each) => `scheduler strategy '${each.name}'`),
  ...(plugin.storages ?? []).map((each) => `storage '${each.type}'`),
  ...(plugin.endpoints ?? []).map((each) => `endpoint scheme '${each.scheme}:'`),
];
