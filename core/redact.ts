import type { TSchema } from 'typebox';

const mask = '***';

/** A copy in which every field that its schema marks `sensitive: true` is masked. For answers and logs. */
export function redact(schema: TSchema, value: unknown): unknown {
  const json = schema as Readonly<Record<string, any>>;
  if (json['sensitive']) return value === null || value === undefined ? value : mask;
  if (Array.isArray(value)) return json['items'] ? value.map((item) => redact(json['items'], item)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const properties = json['properties'] as Record<string, TSchema> | undefined;
  if (!properties) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, properties[name] ? redact(properties[name], each) : each]));
}
