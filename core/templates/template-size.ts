import type { Finding } from '../contract/findings.ts';
import type { Template } from '../model/template.ts';

/** Characters that a template may have as JSON, beyond what any needs: lists of templates hold all of them, and each change is looked through anew. */
const largest = 262_144;

/** Those of all APIs are some hundred. */
const mostFields = 1_000;

/** What is wrong with a template of more fields than any needs: cheap to say, whatever they are. */
export function fieldCount(fields: object): Finding | undefined {
  const count = Object.keys(fields).length;
  if (count <= mostFields) return undefined;
  return { level: 'error', path: '', message: `The template has ${count} fields, more than the ${mostFields} that one may have` };
}

/** What is wrong with a template that is larger than any needs to be. */
export function templateSize(fields: Readonly<Record<string, unknown>>): Finding | undefined {
  const tooWide = fieldCount(fields);
  if (tooWide) return tooWide;
  const { length } = JSON.stringify(fields);
  if (length <= largest) return undefined;
  return { level: 'error', path: '', message: `The template has ${length} characters as JSON, more than the ${largest} that one may have` };
}

/** Templates are frozen, and few. */
const sizes = new WeakMap<Template, number>();

/** Characters that a merged template has as JSON. */
export function templateBytes(template: Template): number {
  const known = sizes.get(template);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(template);
  sizes.set(template, length);
  return length;
}
