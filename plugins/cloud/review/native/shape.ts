import type { Finding } from '../../../../core/index.ts';

/**
 * What a part of a native specification has to be for muster to read it. Fields that a shape does not name are passed
 * on as they are: AWS says what it thinks of them. `null` takes away what muster would say, and fits everywhere but
 * in lists.
 */
export type Shape =
  | 'text'
  | 'flag'
  | 'number'
  | 'number or text'
  | 'time'
  | { readonly fields: Readonly<Record<string, Shape>> }
  | { readonly list: Shape; readonly most?: number };

/** Findings of one specification: what is wrong a thousand times need not be said as often. */
const mostFindings = 100;

/** Everything in a value that is not as its shape says. Pure. */
export function unlike(shape: Shape, value: unknown, path: string): Finding[] {
  const findings: Finding[] = [];
  walk(shape, value, path, findings);
  return findings;
}

function walk(shape: Shape, value: unknown, path: string, findings: Finding[]): void {
  const wrong = (message: string): void => void findings.push({ level: 'error', path, message });
  if (findings.length >= mostFindings) return;
  if (typeof shape === 'string') {
    if (!fits[shape](value)) wrong(`must be ${words[shape]}`);
  } else if ('list' in shape) {
    if (!Array.isArray(value)) return wrong('must be a list');
    if (value.length > (shape.most ?? Infinity))
      return wrong(`must not have more than ${shape.most} entries, not ${value.length}`);
    for (const [index, each] of value.entries()) walk(shape.list, each, `${path}/${index}`, findings);
  } else if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong('must be an object');
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

const words: Readonly<Record<Plain, string>> = {
  text: 'a text',
  flag: 'true or false',
  number: 'a number',
  'number or text': 'a number or a text',
  time: 'a time as ISO 8601',
};
