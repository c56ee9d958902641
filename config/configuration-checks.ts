import { dirname } from 'node:path';
import type { TObject } from 'typebox';
import { mostFindings } from '../core/findings.ts';
import type { CheckedEntry, ConfigurationChecks } from '../core/operations/configuration-checks.ts';
import type { ProviderType } from '../core/provider.ts';
import { redact } from '../core/redact.ts';
import type { StorageDriver } from '../core/storage.ts';
import { checkProviders, typeNamed } from './check-providers.ts';
import type { Configuration } from './configuration.ts';
import type { LoadedConfiguration } from './load.ts';
import { missingFiles } from './missing-files.ts';
import { resolve } from './environment.ts';
import { isObject } from './objects.ts';

/** The checks of a configuration file and of the environment, for entries and variables that a caller sends. */
export function configurationChecks(
  { configuration, origins, review, file, plugins }: LoadedConfiguration,
  types: readonly ProviderType<any, any>[],
): ConfigurationChecks {
  const base = { directory: file === undefined ? process.cwd() : dirname(file), data_directory: configuration.data_directory };
  return {
    resolved: () => ({
      configuration: masked(
        configuration,
        types,
        plugins.flatMap((plugin) => plugin.storages ?? []).find(({ type }) => type === configuration.storage.type),
      ),
      origins: Object.fromEntries(
        [...origins].map(([pointer, { origin, variable }]) => [pointer, variable ? `${origin} ${variable}` : origin]),
      ),
    }),

    types: types.map((type) => type.type),

    providers(entries) {
      const { by_entry } = checkProviders(entries, types, review, mostFindings);
      return entries.map((entry, index): CheckedEntry => {
        const { name, type, config } = isObject(entry) ? entry : {};
        const schema = typeNamed(types, type)?.config as TObject | undefined;
        return {
          name: typeof name === 'string' ? name : undefined,
          findings: [
            ...(by_entry[index] ?? []),
            ...(schema && isObject(config)
              ? missingFiles(schema, config, () => base).map(({ message }) => ({ level: 'error', path: '', message }) as const)
              : []),
          ],
        };
      });
    },

    environment(name, variables) {
      const type = typeNamed(types, name);
      if (!type) return undefined;
      const { resolved, ...said } = resolve(type, variables);
      return { ...said, resolved: redact(type.config as TObject, resolved) as Readonly<Record<string, unknown>> };
    },
  };
}

/** Secrets are masked by the schemas of the provider types and of the storage. */
function masked(
  configuration: Configuration,
  types: readonly ProviderType<any, any>[],
  driver: StorageDriver<any> | undefined,
): Readonly<Record<string, unknown>> {
  const providers = configuration.providers.map((provider) => {
    const schema = typeNamed(types, provider.type)?.config as TObject | undefined;
    return { ...provider, config: schema ? redact(schema, provider.config) : {} };
  });
  const storage = driver ? redact(driver.options as TObject, configuration.storage) : { type: configuration.storage.type };
  return { ...configuration, storage, providers };
}
