type Json = Readonly<Record<string, any>>;

/**
 * A schema of a document, with every `$ref` replaced by its target. `closed`: an object with `properties` allows no
 * others, unless it declares `additionalProperties`.
 */
export function inlineRefs(schema: any, document: Json, closed = false): any {
  if (Array.isArray(schema)) return schema.map((each) => inlineRefs(each, document, closed));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.$ref) {
    const { $ref, description: _, ...beside } = schema;
    const target = ($ref as string)
      .slice(2)
      .split('/')
      .reduce<any>((value, step) => value[step], document);
    return { ...inlineRefs(target, document, closed), ...inlineRefs(beside, document, closed) };
  }
  const { example: _, default: __, ...rest } = schema;
  // Each part of an `allOf` describes some of the fields.
  const whole = Object.fromEntries(
    Object.entries(rest).map(([word, value]) => [word, inlineRefs(value, document, closed && word !== 'allOf')]),
  );
  return closed && whole['properties'] && !('additionalProperties' in whole)
    ? { ...whole, additionalProperties: false }
    : whole;
}
