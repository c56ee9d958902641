/** One field of a schema, with its dotted path as `name`: `launch_template.max_versions`. */
export interface SchemaField {
  readonly path: readonly string[];
  readonly name: string;
  readonly schema: Readonly<Record<string, any>>;
}

type Json = Readonly<Record<string, any>>;

/** All fields of an object schema, including those of nested objects, which follow their object. */
export function fieldsOf(schema: unknown, under: readonly string[] = []): SchemaField[] {
  const properties = Object.entries(((schema ?? {}) as Json)['properties'] ?? {}) as [string, Json][];
  return properties.flatMap(([name, field]) => {
    const path = [...under, name];
    const inner = variantsOf(field).flatMap((variant) => fieldsOf(variant, path));
    return [{ path, name: path.join('.'), schema: field }, ...inner];
  });
}

/** The variants of a schema (`anyOf`, `oneOf`), or the schema itself. */
export const variantsOf = (schema: Json): readonly Json[] => schema['anyOf'] ?? schema['oneOf'] ?? [schema];

/** Types that the values of a field may have. */
export const typesOf = (schema: Json): readonly string[] =>
  variantsOf(schema).flatMap(
    (variant) =>
      variant['type'] ??
      (variant['enum'] ?? ('const' in variant ? [variant['const']] : [])).map((value: unknown) => typeof value),
  );

/** The secrets of a configuration that are long enough to be recognized in a text. */
export const secretsIn = (
  schema: unknown,
  config: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly value: string }[] =>
  fieldsOf(schema).flatMap(({ name, path, schema: { sensitive } }) => {
    const value = path.length === 1 && sensitive === true ? config[name] : undefined;
    return typeof value === 'string' && value.length >= 4 ? [{ name, value }] : [];
  });
