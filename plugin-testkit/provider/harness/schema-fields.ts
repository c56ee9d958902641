/** One field of a schema, with its place in words: `launch_template.max_versions`. */
export interface SchemaField {
  readonly path: readonly string[];
  readonly name: string;
  readonly schema: Readonly<Record<string, any>>;
}

type Json = Readonly<Record<string, any>>;

/** All fields of an object schema, those of nested objects among them, each after the object that it is in. */
export function fieldsOf(schema: unknown, under: readonly string[] = []): SchemaField[] {
  const properties = Object.entries(((schema ?? {}) as Json)['properties'] ?? {}) as [string, Json][];
  return properties.flatMap(([name, field]) => {
    const path = [...under, name];
    const inner = variantsOf(field).flatMap((variant) => fieldsOf(variant, path));
    return [{ path, name: path.join('.'), schema: field }, ...inner];
  });
}

/** A schema, or those that it is one of. */
export const variantsOf = (schema: Json): readonly Json[] => schema['anyOf'] ?? schema['oneOf'] ?? [schema];

/** Types that the values of a field may have. */
export const typesOf = (schema: Json): readonly string[] =>
  variantsOf(schema).flatMap(
    (variant) =>
      variant['type'] ??
      (variant['enum'] ?? ('const' in variant ? [variant['const']] : [])).map((value: unknown) => typeof value),
  );
