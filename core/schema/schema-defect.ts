import { isObject } from './is-object.ts';

/** What these hold are values, not schemas. */
const values = new Set(['default', 'const', 'enum', 'examples']);

/**
 * Returns why no reader can be compiled from a schema: it contains itself, or a pattern is no regular expression;
 * undefined when neither is so. The text continues `The schema …`, for example `contains itself at properties.child`.
 */
export const schemaDefect = (schema: unknown): string | undefined => defectIn(schema, [], []);

function defectIn(schema: unknown, path: readonly string[], above: readonly unknown[]): string | undefined {
  if (!isObject(schema) && !Array.isArray(schema)) return undefined;
  const at = path.length === 0 ? '' : ` at ${path.join('.')}`;
  if (above.includes(schema)) return `contains itself${at}`;
  for (const pattern of patternsOf(schema)) {
    const wrong = patternDefect(pattern);
    if (wrong !== undefined) return `has a pattern${at} that does not compile: ${wrong}`;
  }
  for (const [name, part] of Object.entries(schema)) {
    if (values.has(name)) continue;
    const defect = defectIn(part, [...path, name], [...above, schema]);
    if (defect !== undefined) return defect;
  }
  return undefined;
}

function patternsOf(schema: object): string[] {
  const { pattern, patternProperties } = schema as {
    readonly pattern?: unknown;
    readonly patternProperties?: unknown;
  };
  const names = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  return typeof pattern === 'string' ? [pattern, ...names] : names;
}

function patternDefect(pattern: string): string | undefined {
  try {
    return void RegExp(pattern, 'u');
  } catch (error) {
    return (error as Error).message;
  }
}
