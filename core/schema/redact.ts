import type { TSchema } from 'typebox';

/** Replaces a secret in answers and logs. */
export const mask = '***';

/** Names of unknown fields that are probably misspelled names of secret fields. */
const suspicious = /secret|token|passw(or)?d|credential|(access|private|api)_?key/i;

/** Whether the value of an unknown field of this name must be hidden. */
export const soundsSecret = (name: string): boolean => suspicious.test(name);

/**
 * The target of a request for the log: query values whose names sound like a secret are masked. No route of muster
 * takes secrets in a query, but some callers send them.
 */
export const redactQuery = (target: string): string =>
  target.includes('?')
    ? target.replace(/([?&;])([^?=&;]*)=([^&;]*)/g, (pair, before, name) =>
        soundsSecret(percentDecoded(name)) ? `${before}${name}=${mask}` : pair,
      )
    : target;

/** Decodes the percent signs of an address. Text with a percent sign that encodes nothing is returned unchanged. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The text before the last `@` of an address. Without a scheme it must contain a colon, as in `name:password@host`.
 */
const userinfo = /^([a-z][a-z0-9+.-]*:\/\/(?=[^\s/]*@)|(?=[^@:\s/]*:[^\s/]*@))([^\s/]*)@/i;

/** The user and password that an address contains. */
export const userinfoOf = (text: string): string | undefined => userinfo.exec(text)?.[2];

/**
 * A copy for answers and logs. At every depth it masks the fields that the schema marks `sensitive: true`, unknown
 * fields whose name sounds secret, and the text before the `@` of addresses.
 */
export function redact(schema: TSchema | undefined, value: unknown): unknown {
  const json = (schema ?? {}) as Readonly<Record<string, any>>;
  if (json['sensitive']) return value === null || value === undefined ? value : mask;
  if (typeof value === 'string') return !value.includes('@') ? value : value.replace(userinfo, `$1${mask}@`);
  if (Array.isArray(value)) return value.map((item) => redact(json['items'], item));
  if (typeof value !== 'object' || value === null) return value;
  const properties = (json['properties'] ?? {}) as Record<string, TSchema>;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (field) return [name, redact(field, each)];
      return [name, soundsSecret(name) && each !== null ? mask : redact(undefined, each)];
    }),
  );
}
