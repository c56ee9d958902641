import { resolve } from 'node:path';
import type { TObject } from 'typebox';
import { isBrokerError } from '../core/contract/errors.ts';
import { isError, type Finding } from '../core/contract/findings.ts';
import type { Plugin } from '../core/contract/plugin.ts';
import type { ProviderType } from '../core/contract/provider/provider-type.ts';
import { compile } from '../core/schema/compile.ts';
import type { StorageDriver } from '../core/contract/storage.ts';
import { TemplateReview } from '../core/templates/review.ts';
import { checkBudgets } from './checks/check-budgets.ts';
import { checkProviders, typeNamed } from './checks/check-providers.ts';
import { checkScheduler, checkStorage } from './checks/check-sections.ts';
import { checkServices } from './checks/check-services.ts';
import { checkSinks } from './checks/check-sinks.ts';
import type { Configuration } from './configuration.ts';
import { withoutFile } from './samples.ts';
import { untrustedPrograms } from './checks/untrusted-programs.ts';
import { isObject } from '../core/schema/is-object.ts';
import { missingFiles } from './checks/missing-files.ts';
import { defaultStorage } from './setting-defaults.ts';
import { Layers, type ValueOrigin } from './sources/layers.ts';
import { withPlaces } from './checks/misplaced.ts';
import { absolutePaths, type PathBase } from './sources/paths.ts';
import { placedIn, configurationError } from './sources/places.ts';
import { loadPlugins } from './plugins/load-plugins.ts';
import { readSources, type Tree } from './sources/read-sources.ts';
import { ConfigurationFile } from './schema.ts';
import { telemetryOf } from './telemetry/telemetry-of.ts';
import type { TelemetrySettings } from './telemetry/telemetry-settings.ts';
import type { EnvironmentVariables } from './sources/variables.ts';
import type { LoadOptions } from './load-options.ts';

export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** In the order of the configuration. */
  readonly plugins: readonly Plugin[];
  /** The template checks of the loaded plugins. */
  readonly review: TemplateReview;
  /** The configuration file. Absent: no file exists, and the broker runs on samples. */
  readonly file?: string;
  /** The origin of each value, by JSON pointer into `configuration`. */
  readonly origins: ReadonlyMap<string, ValueOrigin>;
  /** The export of traces and metrics, by the variables of OpenTelemetry. Absent: it is off. */
  readonly telemetry?: TelemetrySettings;
  /** Warnings. */
  readonly findings: readonly Finding[];
}

/**
 * Finds, merges and checks the configuration. Precedence: command line, environment, file, defaults. Throws
 * INVALID_CONFIGURATION with every finding and its place in `details.findings`; throws FILE_NOT_FOUND or PARSE_ERROR
 * when the file cannot be read.
 */
export async function loadConfiguration(options: LoadOptions): Promise<LoadedConfiguration> {
  const findings: Finding[] = [];
  // Step one: the plugins. The checks of all other sections depend on what the plugins contribute.
  const {
    source,
    directory,
    file,
    variables,
    environment,
    commandLine,
    plugins: listed,
  } = await readSources(options, findings);
  const { names: pluginNames, plugins, complete } = await pluginsOf(listed, directory, findings);

  // Step two: all other sections.
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const drivers = plugins.flatMap((plugin) => plugin.storages ?? []);
  const storageType = typeIn(commandLine) ?? variables.storageType ?? typeIn(file) ?? defaultStorage;
  const driver = drivers.find(({ type }) => type === storageType);
  const layers = new Layers();
  if (!source) layers.add(samplesFor(types), 'default');
  layers.add(spelled(file, types, driver, findings), 'file');
  for (const { tree, names } of [...environment, variables.storage(driver)]) layers.add(tree, 'environment', names);
  layers.add(spelled(commandLine, types, driver, findings), 'command line');
  overrideProviders(layers, types, variables);
  findings.push(...variables.findings(types));
  const telemetry = telemetryOf(options.env, findings);

  const offered = plugins.flatMap((plugin) => plugin.services ?? []);
  const { providers: entries, storage: given, ...others } = layers.value;
  const { rest, services } = checkServices(others, offered, findings);
  const parsed = compile(ConfigurationFile).parse({
    ...rest,
    plugins: [],
    ...(entries === undefined || Array.isArray(entries) ? {} : { providers: entries }),
    ...(given === undefined || isObject(given) ? {} : { storage: given }),
  });
  findings.push(...withPlaces(parsed.findings ?? []));

  const review = new TemplateReview(
    types,
    plugins.flatMap((plugin) => plugin.providerApis ?? []),
  );
  const list = Array.isArray(entries) ? entries : [];
  const checked = complete ? checkProviders(list, types, review) : { providers: [], findings: [], by_entry: [] };
  const storage = complete ? checkStorage(isObject(given) ? given : {}, drivers, findings) : { type: '' };
  const strategies = plugins.flatMap((plugin) => plugin.schedulers ?? []).map(({ name }) => name);
  const sinkTypes = plugins.flatMap((plugin) => plugin.eventSinkTypes ?? []);
  const contributed = plugins.flatMap((plugin) => plugin.eventSinks ?? []).map(({ name }) => name);
  const sinks = complete ? checkSinks(parsed.value?.events.sinks ?? [], sinkTypes, contributed, findings) : [];
  if (complete) checkScheduler(rest['scheduler'] ?? 'default', strategies, findings);
  findings.push(...checked.findings);
  findings.push(
    ...checkBudgets(
      parsed.value?.budgets ?? [],
      checked.providers.map(({ name }) => name),
    ),
  );
  if (list.length === 0)
    findings.push({
      level: 'warning',
      path: '/providers',
      message: 'no provider is configured: no request can be served',
    });

  const data_directory = dataDirectory(options, directory);
  const baseOf = (pointer: string): PathBase => {
    const { origin } = layers.at(pointer);
    return {
      directory: origin === 'environment' || origin === 'command line' ? resolve(options.cwd) : directory,
      data_directory,
    };
  };
  for (const [index, provider] of checked.providers.entries()) {
    const at = `/providers/${index}/config`;
    const schema = typeNamed(types, provider.type)?.config as TObject | undefined;
    const baseOfField = (name: string): PathBase => baseOf(`${at}/${name}`);
    const missing = schema ? missingFiles(schema, provider.config, baseOfField) : [];
    for (const { field, message } of missing)
      findings.push({ level: options.files === 'required' ? 'error' : 'warning', path: `${at}/${field}`, message });
    for (const { field, message } of schema ? untrustedPrograms(schema, provider.config, baseOfField) : [])
      findings.push({ level: 'error', path: `${at}/${field}`, message });
  }
  const placed = placedIn(findings, layers, source);
  if (placed.some(isError) || !parsed.value) throw configurationError(placed, source);

  const { templates, server } = absolutePaths(ConfigurationFile, parsed.value, baseOf);
  const configuration: Configuration = {
    plugins: pluginNames,
    scheduler: parsed.value.scheduler,
    storage: driver ? absolutePaths(driver.options as TObject, storage, baseOf, '/storage') : storage,
    templates,
    providers: checked.providers.map((provider, index) => {
      const schema = typeNamed(types, provider.type)?.config as TObject;
      return { ...provider, config: absolutePaths(schema, provider.config, baseOf, `/providers/${index}/config`) };
    }),
    budgets: parsed.value.budgets,
    usage: parsed.value.usage,
    events: { sinks },
    server,
    services,
    data_directory,
  };
  const origins = layers.of(configuration).set('/data_directory', dataOrigin(options));
  return {
    configuration,
    plugins,
    review,
    ...(source ? { file: source.file } : {}),
    origins,
    ...(telemetry ? { telemetry } : {}),
    findings: placed,
  };
}

interface Loaded {
  /** As written. A worker thread loads them again from the same directory. */
  readonly names: readonly string[];
  readonly plugins: readonly Plugin[];
  /** `false`: a plugin failed to load. Sections that depend on its contributions cannot be checked. */
  readonly complete: boolean;
}

async function pluginsOf(names: readonly string[] | undefined, cwd: string, findings: Finding[]): Promise<Loaded> {
  if (!names) return { names: [], plugins: [], complete: false };
  try {
    return { names, plugins: await loadPlugins(names, { cwd }), complete: true };
  } catch (error) {
    if (!isBrokerError(error)) throw error;
    findings.push(...(error.details['findings'] as readonly Finding[]));
    return { names, plugins: [], complete: false };
  }
}

/** The sample configuration without providers whose type no loaded plugin contributes. */
const samplesFor = (types: readonly ProviderType<any, any>[]): Tree => ({
  ...withoutFile,
  providers: withoutFile.providers.filter((entry) => typeNamed(types, entry.type)),
});

const typeIn = ({ storage }: Tree): unknown => (isObject(storage) ? storage['type'] : undefined);

/**
 * The configuration in the canonical spelling of the plugins' schemas, so that values of other sources merge under the
 * same names.
 */
function spelled(
  tree: Tree,
  types: readonly ProviderType<any, any>[],
  driver: StorageDriver<any> | undefined,
  findings: Finding[],
): Tree {
  const spell = (schema: TObject, value: unknown, at: string): unknown => {
    const canonical = compile(schema).canonical(value);
    findings.push(...canonical.findings.map((finding) => ({ ...finding, path: `${at}${finding.path}` })));
    return canonical.value;
  };
  const { providers, storage } = tree;
  const entries = Array.isArray(providers)
    ? providers.map((entry: unknown, index) => {
        const type = isObject(entry) ? typeNamed(types, entry['type']) : undefined;
        if (!type || !isObject(entry) || !isObject(entry['config'])) return entry;
        return { ...entry, config: spell(type.config as TObject, entry['config'], `/providers/${index}/config`) };
      })
    : providers;
  return {
    ...tree,
    ...(entries === undefined ? {} : { providers: entries }),
    ...(driver && isObject(storage) ? { storage: spell(driver.options as TObject, storage, '/storage') } : {}),
  };
}

/** An override of a provider type applies to every instance of the type. */
function overrideProviders(
  layers: Layers,
  types: readonly ProviderType<any, any>[],
  variables: EnvironmentVariables,
): void {
  const entries = layers.value['providers'];
  for (const type of types) {
    const { tree, names } = variables.provider(type);
    for (const [index, entry] of Array.isArray(entries) ? entries.entries() : []) {
      const isInstance = isObject(entry) && typeNamed([type], entry['type']) !== undefined;
      if (isInstance) layers.addToEntry('providers', index, 'config', tree, 'environment', names);
    }
  }
}

function dataDirectory({ data_directory, env, cwd }: LoadOptions, directory: string): string {
  const configured = data_directory ?? (env['MUSTER_DATA_DIR'] || undefined);
  return configured === undefined ? resolve(directory, 'data') : resolve(cwd, configured);
}

function dataOrigin({ data_directory, env }: LoadOptions): ValueOrigin {
  if (data_directory !== undefined) return { origin: 'command line' };
  return env['MUSTER_DATA_DIR'] ? { origin: 'environment', variable: 'MUSTER_DATA_DIR' } : { origin: 'default' };
}
