import type { TSchema } from 'typebox';

/** What stands in place of a secret. */
export const mask = '***';

/** Names of fields that no schema knows and that may be a secret under a slip of the pen. */
const suspicious = /secret|token|passw(or)?d|credential|(access|private|api)_?key/i;

/** Whether a field of this name is better not shown, where no schema says what it is. */
export const soundsSecret = (name: string): boolean => suspicious.test(name);

/** A target as a log shows it: without the values of a query whose names sound like a secret. Nothing here takes one, and some callers send one all the same. */
export const redactQuery = (target: string): string =>
  target.includes('?')
    ? target.replace(/([?&;])([^?=&;]*)=([^&;]*)/g, (pair, before, name) =>
        soundsSecret(percentDecoded(name)) ? `${before}${name}=${mask}` : pair,
      )
    : target;

/** Text of an address as it is meant. A percent sign that encodes nothing stands for itself. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What stands before the last `@` of an address: of one with a scheme whatever it is, else only with a colon, as in `name:password@host`. */
const userinfo = /^([a-z][a-z0-9+.-]*:\/\/(?=[^\s/]*@)|(?=[^@:\s/]*:[^\s/]*@))([^\s/]*)@/i;

/** The user and password that an address carries. */
export const userinfoOf = (text: string): string | undefined => userinfo.exec(text)?.[2];

/**
 * A copy in which every field that its schema marks `sensitive: true` is masked, every unknown one whose name sounds like it, at every depth, and what
 * addresses carry before their `@`. For answers and logs.
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
