import type { Finding } from '../contract/findings.ts';
import type { Template } from '../model/template.ts';

/**
 * The most characters of a template as JSON, more than any template needs. Lists contain whole templates, and each
 * change checks the whole template again.
 */
const largest = 262_144;

/** All APIs together have a few hundred fields. */
const mostFields = 1_000;

/** The finding for a template with too many fields. Cheap, because it only counts. */
export function fieldCount(fields: object): Finding | undefined {
  const count = Object.keys(fields).length;
  if (count <= mostFields) return undefined;
  return {
    level: 'error',
    path: '',
    message: `The template has ${count} fields, more than the maximum of ${mostFields}`,
  };
}

/** The finding for a template with too many fields or characters. */
export function templateSize(fields: Readonly<Record<string, unknown>>): Finding | undefined {
  const tooWide = fieldCount(fields);
  if (tooWide) return tooWide;
  const { length } = JSON.stringify(fields);
  if (length <= largest) return undefined;
  return {
    level: 'error',
    path: '',
    message: `The template has ${length} characters as JSON, more than the maximum of ${largest}`,
  };
}

/** Cached, because templates are frozen and few. */
const sizes = new WeakMap<Template, number>();

/** The size of a merged template in characters of JSON. */
export function templateBytes(template: Template): number {
  const known = sizes.get(template);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(template);
  sizes.set(template, length);
  return length;
}
