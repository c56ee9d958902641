import type { Finding } from '../../../../core/index.ts';

/**
 * The required form of a part of a native specification. Fields that a shape does not name are passed on unchanged:
 * AWS validates them. `null` removes a value that muster would set, and is allowed everywhere except in lists.
 */
export type Shape =
  | 'text'
  | 'flag'
  | 'number'
  | 'number or text'
  | 'time'
  | { readonly fields: Readonly<Record<string, Shape>> }
  | { readonly list: Shape; readonly max?: number };

/** The most findings for one specification. */
const maxFindings = 100;

/** Reports every value that does not match its shape. */
export function shapeFindings(shape: Shape, value: unknown, path: string): Finding[] {
  const findings: Finding[] = [];
  walk(shape, value, path, findings);
  return findings;
}

function walk(shape: Shape, value: unknown, path: string, findings: Finding[]): void {
  const report = (message: string): void => void findings.push({ level: 'error', path, message });
  if (findings.length >= maxFindings) return;
  if (typeof shape === 'string') {
    if (!fits[shape](value)) report(`must be ${descriptions[shape]}`);
  } else if ('list' in shape) {
    if (!Array.isArray(value)) return report('must be a list');
    if (value.length > (shape.max ?? Infinity))
      return report(`must not have more than ${shape.max} entries, not ${value.length}`);
    for (const [index, each] of value.entries()) walk(shape.list, each, `${path}/${index}`, findings);
  } else if (typeof value !== 'object' || value === null || Array.isArray(value)) report('must be an object');
  else
    for (const [name, field] of Object.entries(shape.fields)) {
      const given: unknown = Object.hasOwn(value, name)
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined;
      if (given !== undefined && given !== null) walk(field, given, `${path}/${name}`, findings);
    }
}

type Plain = Extract<Shape, string>;

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);

const fits: Readonly<Record<Plain, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  flag: (value) => typeof value === 'boolean',
  number: isNumber,
  'number or text': (value) => typeof value === 'string' || isNumber(value),
  time: (value) =>
    (typeof value === 'string' || isNumber(value)) && !Number.isNaN(new Date(value as string | number).getTime()),
};

const descriptions: Readonly<Record<Plain, string>> = {
  text: 'a text',
  flag: 'true or false',
  number: 'a number',
  'number or text': 'a number or a text',
  time: 'a time as ISO 8601',
};
