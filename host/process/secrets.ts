import type { TSchema } from 'typebox';
import type { LoadedConfiguration } from '../../config/load.ts';
import { percentDecoded, soundsSecret, userinfoOf } from '../../core/schema/redact.ts';

/**
 * Every text of the configuration that the schema of its plugin marks as sensitive, or that sounds like it where no schema knows it: the log masks them
 * wherever they turn up.
 */
export function secretsOf({ configuration, plugins }: Pick<LoadedConfiguration, 'configuration' | 'plugins'>): readonly string[] {
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const driver = plugins.flatMap((plugin) => plugin.storages ?? []).find(({ type }) => type === configuration.storage.type);
  return [
    ...configuration.providers.flatMap(({ type, config }) => sensitive(types.find((each) => each.type === type)?.config, config)),
    ...sensitive(driver?.options, configuration.storage),
  ];
}

function sensitive(schema: TSchema | undefined, value: unknown): string[] {
  const json = (schema ?? {}) as Readonly<Record<string, any>>;
  if (json['sensitive']) return texts(value);
  if (typeof value === 'string') return spellings(userinfoOf(value));
  if (Array.isArray(value)) return value.flatMap((item) => sensitive(json['items'], item));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const field = json['properties']?.[name] as TSchema | undefined;
    return !field && soundsSecret(name) ? texts(each) : sensitive(field, each);
  });
}

/** What an address carries, and of that the password, as it is written and as it is sent. */
function spellings(userinfo: string | undefined): string[] {
  if (userinfo === undefined) return [];
  const password = userinfo.slice(userinfo.indexOf(':') + 1);
  return [...new Set([userinfo, password, percentDecoded(password)])];
}

/** All texts within, where an object or a list is sensitive as a whole. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}
