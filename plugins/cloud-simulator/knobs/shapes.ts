/** Returns a finding for everything that is wrong with a value at a path; none if the value is right. */
export type Shape = (value: unknown, path: string) => string[];

/** The shapes of some fields by their names. */
export type Shapes = Readonly<Record<string, Shape>>;

export const boolean: Shape = (value, path) => (typeof value === 'boolean' ? [] : [`${path}: expected true or false`]);

export const string: Shape = (value, path) =>
  typeof value === 'string' && value !== '' ? [] : [`${path}: expected text`];

// Longer times would lead to dates that the wire format cannot express.
const longestS = 3_155_760_000;

export const milliseconds: Shape = (value, path) =>
  typeof value === 'number' && value >= 0 && value <= longestS * 1000
    ? []
    : [`${path}: expected milliseconds, 0 to a hundred years`];

export const seconds: Shape = (value, path) =>
  typeof value === 'number' && value >= 0 && value <= longestS
    ? []
    : [`${path}: expected seconds, 0 to a hundred years`];

/** A part of a whole, 0 to 1. */
export const share: Shape = (value, path) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? [] : [`${path}: expected a share, 0 to 1`];

/** A number above 0. */
export const positive: Shape = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? [] : [`${path}: expected a number above 0`];

/** A whole number between two bounds, both included. */
export function between(least: number, most: number): Shape {
  return (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? []
      : [`${path}: expected a whole number, ${least} to ${most}`];
}

/** A whole number of at least `least`; also null if `or` is 'null'. */
export function wholeNumber(least: number, or?: 'null'): Shape {
  return (value, path) => {
    if (value === null && or === 'null') return [];
    return Number.isSafeInteger(value) && (value as number) >= least
      ? []
      : [`${path}: expected a whole number, ${least} or more${or === 'null' ? ', or null' : ''}`];
  };
}

export function orNull(shape: Shape): Shape {
  return (value, path) => (value === null ? [] : shape(value, path).map((finding) => `${finding}, or null`));
}

export function oneWordOf(...words: readonly string[]): Shape {
  return (value, path) => (words.includes(value as string) ? [] : [`${path}: expected one of ${words.join(', ')}`]);
}

export function listOf(entry: Shape): Shape {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => entry(one, `${path}/${index}`))
      : [`${path}: expected a list`];
}

/** An object with any keys, or with keys of the shape `name`. */
export function mapOf(entry: Shape, name: Shape = () => []): Shape {
  return (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, one]) => [
          ...name(key, `${path}/${key}`),
          ...entry(one, `${path}/${key}`),
        ])
      : [`${path}: expected an object`];
}

/** A shape with an additional check for contradictions between the fields of an object. */
export function both(
  shape: Shape,
  contradictions: (value: Readonly<Record<string, unknown>>, path: string) => string[],
): Shape {
  return (value, path) => [...shape(value, path), ...(isObject(value) ? contradictions(value, path) : [])];
}

/** An object that has no other fields than these. */
export function record(fields: Shapes, required: readonly string[] = []): Shape {
  return (value, path) => {
    if (!isObject(value)) return [`${path === '' ? '/' : path}: expected an object`];
    const missing = required
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => `${path}/${name}: is missing`);
    const wrong = Object.entries(value).flatMap(([name, one]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return field === undefined
        ? [`${path}/${name}: unknown; known: ${Object.keys(fields).join(', ')}`]
        : field(one, `${path}/${name}`);
    });
    return [...missing, ...wrong];
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
