import type { TSchema } from 'typebox';

/** What stands in place of a secret. */
export const mask = '***';

/** Names of fields that no schema knows and that may be a secret under a slip of the pen. */
const suspicious = /secret|token|passw(or)?d|credential|(access|private|api)_?key/i;

/** Whether a field of this name is better not shown, where no schema says what it is. */
export const soundsSecret = (name: string): boolean => suspicious.test(name);

/**
 * A copy in which every field that its schema marks `sensitive: true` is masked, and every unknown one whose name sounds like it. For answers and
 * logs.
 */
export function redact(schema: TSchema, value: unknown): unknown {
  const json = schema as Readonly<Record<string, any>>;
  if (json['sensitive']) return value === null || value === undefined ? value : mask;
  if (Array.isArray(value)) return json['items'] ? value.map((item) => redact(json['items'], item)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const properties = json['properties'] as Record<string, TSchema> | undefined;
  if (!properties) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (field) return [name, redact(field, each)];
      return [name, soundsSecret(name) && each !== null ? mask : each];
    }),
  );
}
