import { join, resolve } from 'node:path';
import type { TObject } from 'typebox';
import { checkProviders, typeNamed } from '../../config/checks/check-providers.ts';
import type { LoadOptions } from '../../config/load-options.ts';
import type { LoadedConfiguration } from '../../config/load.ts';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { ConfigurationFile } from '../../config/schema.ts';
import { defaultPlugins } from '../../config/setting-defaults.ts';
import { readSources } from '../../config/sources/read-sources.ts';
import { isPathField } from '../../config/sources/paths.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import type { Plugin } from '../../core/contract/plugin.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { isError } from '../../core/contract/findings.ts';
import { compile } from '../../core/schema/compile.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { TemplateReview } from '../../core/templates/review.ts';

/** What can be checked although the configuration has errors. */
export interface Salvaged {
  readonly loaded: LoadedConfiguration;
  /** Provider instances that are not checked, because their entry has errors or names files. */
  readonly left_out: readonly string[];
}

/**
 * The parts of a configuration with errors that are right by themselves: provider entries without errors and the
 * template directory, with defaults for all else. Entries that name files are left out: a program may be among them,
 * and only a whole check may trust it. Throws what the file cannot be read for.
 */
export async function salvage(options: LoadOptions): Promise<Salvaged> {
  const { file, directory, source } = await readSources(options, []).catch(() => ({
    file: {} as Readonly<Record<string, unknown>>,
    directory: resolve(options.cwd),
    source: undefined,
  }));
  const plugins = await pluginsOf(file['plugins'], directory);
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const review = new TemplateReview(
    types,
    plugins.flatMap((plugin) => plugin.providerApis ?? []),
  );
  const entries = Array.isArray(file['providers']) ? (file['providers'] as readonly unknown[]) : [];
  const checked = entries.map((entry) => ({ entry, ...checkProviders([entry], types, review) }));
  const whole = checked.flatMap(({ providers, findings }) =>
    findings.some(isError) || providers.some((each) => namesFiles(each, types)) ? [] : providers,
  );
  const names = new Set(whole.map(({ name }) => name));
  const left_out = entries.flatMap((entry, index) => {
    const name = isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : `number ${index + 1}`;
    return names.has(name) ? [] : [name];
  });
  const { value } = compile(ConfigurationFile).parse({});
  if (!value) throw new Error('The schema of the configuration has no default.');
  const given = isObject(file['templates']) ? file['templates']['directory'] : undefined;
  const server = compile(ConfigurationFile).parse({ server: file['server'] ?? {} }).value?.server ?? value.server;
  return {
    loaded: {
      configuration: {
        plugins: plugins.map(({ name }) => name),
        scheduler: 'default',
        storage: { type: '' },
        templates: { directory: resolve(directory, typeof given === 'string' ? given : '.') },
        providers: [...new Map(whole.map((each) => [each.name, each])).values()],
        events: { sinks: [] },
        services: {},
        budgets: [],
        usage: { tags: [] },
        server,
        data_directory: options.env['MUSTER_DATA_DIR']
          ? resolve(options.cwd, options.env['MUSTER_DATA_DIR'])
          : join(directory, 'data'),
      },
      plugins,
      review,
      ...(source ? { file: source.file } : {}),
      origins: new Map(),
      findings: [],
    },
    left_out,
  };
}

/** The configured plugins; the default ones when those cannot be loaded. */
async function pluginsOf(listed: unknown, directory: string): Promise<readonly Plugin[]> {
  const names = Array.isArray(listed) ? listed.filter((name) => typeof name === 'string') : defaultPlugins;
  return loadPlugins(names, { cwd: directory }).catch(() => loadPlugins(defaultPlugins, { cwd: directory }));
}

function namesFiles({ type, config }: ProviderInstance, types: Parameters<typeof typeNamed>[0]): boolean {
  const { properties } = (typeNamed(types, type) as ProviderType<TObject>).config;
  return Object.entries(config).some(
    ([name, value]) => typeof value === 'string' && isPathField(name, (properties[name] ?? {}) as object),
  );
}
