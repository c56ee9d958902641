import { isObject } from './is-object.ts';
import { patternsOf } from './patterns-of.ts';

/** What reads a schema calls itself for each level, and once for each place at which a part stands. */
const deepest = 128;
const mostParts = 10_000;
/** The keywords whose value is a map of schemas by name. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** The keywords whose value is a list of schemas. */
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
/** The keywords that hold values, not schemas. */
const valueKeywords = new Set(['default', 'const', 'enum', 'examples']);
/** typebox compiles no list of 2 000 values or schemas. */
const longestList = 1_500;

/**
 * Returns why no reader can be compiled from a schema: it contains itself, is too deep or too large, a field has no
 * schema, a pattern is no regular expression, or a default is no JSON; undefined when none is so. The text continues
 * `The schema …`, for example `contains itself at properties.child`. Throws what the schema throws when it is read.
 */
export function schemaDefect(schema: unknown): string | undefined {
  const above: unknown[] = [];
  let parts = 0;
  return defectIn(schema, [], false);

  /** `isMap`: the names in the part are chosen by its author, and no keywords. */
  function defectIn(part: unknown, path: readonly string[], isMap: boolean): string | undefined {
    if (!isObject(part) && !Array.isArray(part)) return undefined;
    const at = path.length === 0 ? '' : ` at ${path.join('.')}`;
    if (above.includes(part)) return `contains itself${at}`;
    if (path.length > deepest) return `is deeper than ${deepest} levels`;
    if ((parts += 1) > mostParts) return `has more than ${mostParts} parts`;
    for (const pattern of isMap ? [] : patternsOf(part)) {
      const wrong = typeof pattern === 'string' ? patternDefect(pattern) : undefined;
      if (wrong !== undefined) return `has a pattern${at} that does not compile: ${wrong}`;
    }
    above.push(part);
    for (const [name, each] of Object.entries(part)) {
      const defect = isMap ? inMap(name, each, path) : ofKeyword(name, each, path);
      if (defect !== undefined) return defect;
    }
    above.pop();
    return undefined;
  }

  function inMap(name: string, value: unknown, path: readonly string[]): string | undefined {
    const at = [...path, name];
    return isSchema(value) ? defectIn(value, at, false) : `has no schema at ${at.join('.')}`;
  }

  function ofKeyword(name: string, value: unknown, path: readonly string[]): string | undefined {
    const at = [...path, name];
    if (Array.isArray(value) && value.length > longestList)
      return `has more than ${longestList} entries at ${at.join('.')}`;
    if (valueKeywords.has(name))
      return value === undefined || isJson(value) ? undefined : `has a value at ${at.join('.')} that is no JSON`;
    if (lists.has(name) && !(Array.isArray(value) && value.every(isSchema)))
      return `has no list of schemas at ${at.join('.')}`;
    return defectIn(value, at, maps.has(name));
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

function patternDefect(pattern: string): string | undefined {
  try {
    return void RegExp(pattern, 'u');
  } catch (error) {
    return (error as Error).message;
  }
}
