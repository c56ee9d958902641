import type { TSchema } from 'typebox';
import type { LoadedConfiguration } from '../../config/load.ts';
import { telemetrySecrets } from '../../config/telemetry/telemetry-of.ts';
import { mask, percentDecoded, soundsSecret, userinfoOf } from '../../core/schema/redact.ts';

/**
 * Returns every text of the configuration that is secret: its schema marks it as sensitive, or no schema describes it
 * and its name suggests a secret. The log masks these texts.
 */
export function secretsOf({
  configuration,
  plugins,
  telemetry,
}: Pick<LoadedConfiguration, 'configuration' | 'plugins' | 'telemetry'>): readonly string[] {
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const driver = plugins
    .flatMap((plugin) => plugin.storages ?? [])
    .find(({ type }) => type === configuration.storage.type);
  const sinkTypes = plugins.flatMap((plugin) => plugin.eventSinkTypes ?? []);
  return [
    ...configuration.providers.flatMap(({ type, config }) =>
      sensitive(types.find((each) => each.type === type)?.config, config),
    ),
    ...sensitive(driver?.options, configuration.storage),
    ...(telemetry ? telemetrySecrets(telemetry) : []),
    ...configuration.events.sinks.flatMap((sink) =>
      sensitive(sinkTypes.find(({ type }) => type === sink.type)?.options, sink),
    ),
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

/** The credentials of a URL, its password as written, and its password percent-decoded. */
function spellings(userinfo: string | undefined): string[] {
  if (userinfo === undefined) return [];
  const password = userinfo.slice(userinfo.indexOf(':') + 1);
  return [...new Set([userinfo, password, percentDecoded(password)])];
}

/** All texts inside of a value that is sensitive as a whole. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** The shortest secret that is masked, in characters, as in the log: shorter texts are part of too many words. */
const minLength = 8;

/** The secrets that can be masked, the longest first, since one may contain another. */
export const maskable = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets)].filter(({ length }) => length >= minLength).toSorted((a, b) => b.length - a.length);

/** Returns a function that masks the secrets in a text. */
export function hiding(secrets: readonly string[]): (text: string) => string {
  const texts = maskable(secrets);
  return (text) => texts.reduce((left, secret) => left.replaceAll(secret, mask), text);
}

/**
 * Returns a function that masks the secrets in the texts of plain data; with `named`, only in those of the fields for
 * which it returns true. Searching is cheap and copying is not: what contains no secret is returned as it is.
 */
export function hidingIn(
  secrets: readonly string[],
  named: (name: string) => boolean = () => true,
): <T>(value: T) => T {
  const quoted = maskable(secrets).map((text) => JSON.stringify(text).slice(1, -1));
  if (quoted.length === 0) return (value) => value;
  const hide = hiding(secrets);
  return (value) => {
    const text = JSON.stringify(value);
    if (!quoted.some((secret) => text?.includes(secret))) return value;
    return JSON.parse(text, (name, each: unknown) =>
      typeof each === 'string' && named(name) ? hide(each) : each,
    ) as typeof value;
  };
}
