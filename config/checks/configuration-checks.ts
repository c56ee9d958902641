import { lstatSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { TObject } from 'typebox';
import { firstOf, mostFindings } from '../../core/contract/findings.ts';
import type { CheckedEntry, ConfigurationChecks } from '../../core/operations/providers/configuration-checks.ts';
import type { EventSinkType } from '../../core/contract/events.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { redact } from '../../core/schema/redact.ts';
import type { StorageDriver } from '../../core/contract/storage.ts';
import { checkProviders, typeNamed } from './check-providers.ts';
import type { Configuration } from '../configuration.ts';
import type { LoadedConfiguration } from '../load.ts';
import { missingFiles, namedFiles } from './missing-files.ts';
import { resolve } from '../sources/environment.ts';
import { isObject } from '../../core/schema/is-object.ts';

/**
 * Returns the checks of a configuration file and of the environment, applied to entries and variables that a caller
 * sends.
 */
export function configurationChecks(
  { configuration, origins, review, file, plugins }: LoadedConfiguration,
  types: readonly ProviderType<any, any>[],
): ConfigurationChecks {
  const base = {
    directory: file === undefined ? process.cwd() : dirname(file),
    data_directory: configuration.data_directory,
  };
  const isVisible = visibleFiles(configuration, types, base.directory);
  return {
    resolved: () => ({
      configuration: masked(
        configuration,
        types,
        plugins.flatMap((plugin) => plugin.storages ?? []).find(({ type }) => type === configuration.storage.type),
        plugins.flatMap((plugin) => plugin.eventSinkTypes ?? []),
      ),
      origins: Object.fromEntries(
        [...origins].map(([pointer, { origin, variable }]) => [pointer, variable ? `${origin} ${variable}` : origin]),
      ),
    }),

    types: types.map((type) => type.type),

    providers(entries, owner) {
      const { by_entry } = checkProviders(entries, types, review, mostFindings);
      let left = mostFindings;
      return entries.map((entry, index): CheckedEntry => {
        const { name, type, config } = isObject(entry) ? entry : {};
        const schema = typeNamed(types, type)?.config as TObject | undefined;
        const missing =
          schema && isObject(config) ? missingFiles(schema, config, () => base, owner ? {} : { isVisible }) : [];
        const findings = firstOf(
          [
            ...(by_entry[index] ?? []),
            ...missing.map(({ message }) => ({ level: 'error', path: '', message }) as const),
          ],
          left,
        );
        left -= findings.filter(({ more }) => more === undefined).length;
        return { name: typeof name === 'string' ? name : undefined, findings };
      });
    },

    environment(name, variables) {
      const type = typeNamed(types, name);
      if (!type) return undefined;
      const { resolved, ...rest } = resolve(type, variables);
      return { ...rest, resolved: redact(type.config as TObject, resolved) as Readonly<Record<string, unknown>> };
    },
  };
}

/**
 * Returns the predicate of the files whose existence callers may learn: files that the configuration names, and files
 * below its directory that are not hidden and not behind a link. If callers could ask about any path, they could list
 * the files of the host.
 */
function visibleFiles(
  { providers }: Configuration,
  types: readonly ProviderType<any, any>[],
  directory: string,
): (path: string) => boolean {
  const named = new Set(
    providers.flatMap(({ type, config }) => {
      const schema = typeNamed(types, type)?.config as TObject | undefined;
      return schema ? namedFiles(schema, config) : [];
    }),
  );
  return (path) => {
    const inside = relative(directory, path);
    const isOpen =
      !isAbsolute(inside) && !inside.split(sep).some((step) => step.startsWith('.')) && !isLinked(inside, directory);
    return isOpen || named.has(path);
  };
}

/** Whether a step of the path below `directory` is a symbolic link. A link may lead to any file of the host. */
function isLinked(inside: string, directory: string): boolean {
  let path = directory;
  for (const step of inside.split(sep)) {
    path = join(path, step);
    try {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (!found?.isDirectory()) return found?.isSymbolicLink() ?? false;
    } catch {
      // The directory cannot be searched, or the name is too long.
      return false;
    }
  }
  return false;
}

/** The configuration with secrets masked as the schemas of the provider types and of the storage mark them. */
function masked(
  configuration: Configuration,
  types: readonly ProviderType<any, any>[],
  driver: StorageDriver<any> | undefined,
  sinkTypes: readonly EventSinkType<any>[],
): Readonly<Record<string, unknown>> {
  const providers = configuration.providers.map((provider) => {
    const schema = typeNamed(types, provider.type)?.config as TObject | undefined;
    return { ...provider, config: schema ? redact(schema, provider.config) : {} };
  });
  const storage = driver
    ? redact(driver.options as TObject, configuration.storage)
    : { type: configuration.storage.type };
  const sinks = configuration.events.sinks.map((sink) => {
    const options = sinkTypes.find(({ type }) => type === sink.type)?.options as TObject | undefined;
    return options ? redact(options, sink) : { type: sink.type, name: sink.name };
  });
  return { ...configuration, storage, providers, events: { sinks } };
}
