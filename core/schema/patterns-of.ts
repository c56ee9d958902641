import { isObject } from './is-object.ts';

/** The regular expressions of one part of a schema, without those of the parts in it. In typebox, one may be a RegExp. */
export function patternsOf(part: object): readonly (string | RegExp)[] {
  const { pattern, patternProperties } = part as Readonly<Record<string, unknown>>;
  const names = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  return typeof pattern === 'string' || pattern instanceof RegExp ? [pattern, ...names] : names;
}
