import { resolve } from 'node:path';
import type { Finding } from '../../core/contract/findings.ts';
import type { Plugin } from '../../core/contract/plugin.ts';
import type { ConfigurationSource } from '../sources/configuration-file.ts';
import { isPluginPath, versionOf, type PluginSource } from './find-plugin.ts';
import { inspectPlugins, type InspectedPlugin } from './inspect-plugins.ts';
import type { LoadOptions } from '../load-options.ts';
import { configurationError } from '../sources/places.ts';
import { missingMembers } from './plugin-shape.ts';
import { readSources } from '../sources/read-sources.ts';

/** The state and the contributions of one plugin. */
export interface PluginReport {
  /** The name in the configuration. */
  readonly name: string;
  readonly status: 'ok' | 'wrong';
  /** Null: the plugin was not found. */
  readonly source: PluginSource | null;
  readonly file: string | null;
  /** The version of its package; null when it has none. A built-in plugin has the version of muster. */
  readonly version: string | null;
  readonly contract: number | null;
  readonly requires: readonly string[];
  readonly provider_types: readonly string[];
  readonly provider_apis: readonly string[];
  readonly schedulers: readonly string[];
  readonly storages: readonly string[];
  readonly event_sinks: readonly string[];
  readonly event_sink_types: readonly string[];
  readonly endpoints: readonly string[];
  /** Each entry is a sentence with the remedy. */
  readonly problems: readonly string[];
}

export interface PluginsReport {
  /** The configuration file that lists the plugins. Null: there is none, and the report covers the default plugins. */
  readonly configuration: string | null;
  readonly plugins: readonly PluginReport[];
}

/**
 * Reports every configured plugin, also when other parts of the configuration are wrong. With names, reports only
 * those plugins, loaded together with the configured ones; their paths are relative to the working directory.
 */
export async function reportPlugins(options: LoadOptions, named: readonly string[] = []): Promise<PluginsReport> {
  const findings: Finding[] = [];
  const { source, directory, plugins } = await readSources(options, findings);
  if (!plugins)
    throw configurationError(
      findings.map((finding) => ({ ...finding, file: placeOf(finding.path, options, source) })),
      source,
    );
  const extra = named.map((name) =>
    isPluginPath(name) && !name.startsWith('file:') ? resolve(options.cwd, name) : name,
  );
  const inspected = await inspectPlugins([...plugins, ...extra.filter((name) => !plugins.includes(name))], directory);
  const shown = extra.length === 0 ? inspected : inspected.filter(({ name }) => extra.includes(name));
  return { configuration: source?.file ?? null, plugins: shown.map(reportOf) };
}

function placeOf(path: string, { env }: LoadOptions, source: ConfigurationSource | undefined): string {
  return env['MUSTER_PLUGINS'] ? 'environment variable MUSTER_PLUGINS' : (source?.place(path) ?? '');
}

function reportOf({ name, found, plugin, contract, problems }: InspectedPlugin): PluginReport {
  const all = [...problems, ...(plugin ? missingMembers(plugin) : [])];
  return {
    name,
    status: all.length === 0 ? 'ok' : 'wrong',
    source: found.source ?? null,
    file: found.file ?? null,
    version: versionOf(found) ?? null,
    contract: contract ?? null,
    requires: plugin?.requires ?? [],
    ...contributionsOf(plugin),
    problems: all,
  };
}

const contributionsOf = (plugin: Plugin | undefined) => ({
  provider_types: (plugin?.providers ?? []).map(({ type }) => type),
  provider_apis: (plugin?.providerApis ?? []).map(({ name }) => name),
  schedulers: (plugin?.schedulers ?? []).map(({ name }) => name),
  storages: (plugin?.storages ?? []).map(({ type }) => type),
  event_sinks: (plugin?.eventSinks ?? []).map(({ name }) => name),
  event_sink_types: (plugin?.eventSinkTypes ?? []).map(({ type }) => type),
  endpoints: (plugin?.endpoints ?? []).map(({ scheme }) => `${scheme}:`),
});
