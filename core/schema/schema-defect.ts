import { isObject } from './is-object.ts';

/** What reads a schema calls itself for each level, and once for each place at which a part stands. */
const deepest = 128;
const mostParts = 10_000;
/** The keywords whose value is a map of schemas by name. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** The keywords that hold values, not schemas. */
const valueKeywords = new Set(['default', 'const', 'enum', 'examples']);

/**
 * Returns why no reader can be compiled from a schema: it contains itself, is too deep or too large, a field has no
 * schema, a pattern is no regular expression, or a default is no JSON; undefined when none is so. The text continues
 * `The schema …`, for example `contains itself at properties.child`. Throws what the schema throws when it is read.
 */
export function schemaDefect(schema: unknown): string | undefined {
  const above: unknown[] = [];
  let parts = 0;
  return defectIn(schema, []);

  function defectIn(part: unknown, path: readonly string[]): string | undefined {
    if (!isObject(part) && !Array.isArray(part)) return undefined;
    const at = path.length === 0 ? '' : ` at ${path.join('.')}`;
    if (above.includes(part)) return `contains itself${at}`;
    if (path.length > deepest) return `is deeper than ${deepest} levels`;
    if ((parts += 1) > mostParts) return `has more than ${mostParts} parts`;
    for (const pattern of patternsOf(part)) {
      const wrong = patternDefect(pattern);
      if (wrong !== undefined) return `has a pattern${at} that does not compile: ${wrong}`;
    }
    const isMap = maps.has(path.at(-1) ?? '');
    above.push(part);
    for (const [name, each] of Object.entries(part)) {
      const defect = isMap && !isSchema(each) ? `has no schema${at} for '${name}'` : ofKeyword(name, each, path);
      if (defect !== undefined) return defect;
    }
    above.pop();
    return undefined;
  }

  function ofKeyword(name: string, value: unknown, path: readonly string[]): string | undefined {
    if (!valueKeywords.has(name) || maps.has(path.at(-1) ?? '')) return defectIn(value, [...path, name]);
    return value === undefined || isJson(value)
      ? undefined
      : `has a ${name} at ${[...path, name].join('.')} that is no JSON`;
  }
}

const isSchema = (value: unknown): boolean => isObject(value) || typeof value === 'boolean';

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
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
