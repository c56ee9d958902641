import type { Json } from '../../schema/public-schema.ts';

/** A schema of what callers write: a field that has a default may be left out, at any depth. */
export function asWritten(schema: Json): Json {
  const { properties, required, items } = schema as { properties?: Record<string, Json>; required?: readonly string[]; items?: Json };
  const needed = required?.filter((name) => !('default' in (properties?.[name] ?? {})));
  const variants = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] ? [[word, (schema[word] as Json[]).map(asWritten)]] : []));
  return {
    ...schema,
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, asWritten(field)])) } : {}),
    ...(needed ? { required: needed } : {}),
    ...(items ? { items: asWritten(items) } : {}),
    ...Object.fromEntries(variants),
  };
}
