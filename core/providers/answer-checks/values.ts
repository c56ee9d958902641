import { Broken } from './broken.ts';

export type Given = Readonly<Record<string, unknown>>;

// Path and field name are separate arguments, so that they are only joined for an error.

export function object(value: unknown, path: string, expected: string): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Broken(path, value, expected);
  return value as Given;
}

export function text(value: unknown, path: string, name: string): void {
  if (typeof value !== 'string' || value === '')
    throw new Broken(`${path}${name}`, value, 'a string that is not empty');
}

/** Allows undefined. */
export function optionalText(value: unknown, path: string, name: string): void {
  if (value !== undefined && typeof value !== 'string')
    throw new Broken(`${path}/${name}`, value, 'a string or undefined');
}

export function flag(value: unknown, path: string, name: string): void {
  if (typeof value !== 'boolean') throw new Broken(`${path}${name}`, value, 'true or false');
}

export function count(value: unknown, path: string, name: string): void {
  if (!Number.isInteger(value) || (value as number) < 0)
    throw new Broken(`${path}${name}`, value, 'a whole number that is not negative');
}

export function amount(value: unknown, path: string, name: string): void {
  if (typeof value !== 'number' || !(value >= 0) || value === Infinity)
    throw new Broken(`${path}${name}`, value, 'a number that is not negative');
}

/** Allows an ISO 8601 time and undefined. */
export function time(value: unknown, path: string, name: string): void {
  if (value === undefined) return;
  if (typeof value !== 'string' || Number.isNaN(Date.parse(value)))
    throw new Broken(`${path}${name}`, value, 'an ISO 8601 time or undefined');
}

export function known(
  value: unknown,
  all: ReadonlySet<unknown>,
  path: string,
  name: string,
  listed: readonly string[],
): void {
  if (!all.has(value)) throw new Broken(`${path}${name}`, value, `one of ${listed.join(', ')}`);
}

export function optional(value: unknown, check: (value: unknown) => void): void {
  if (value !== undefined) check(value);
}

export function texts(value: unknown, path: string): void {
  if (!Array.isArray(value)) throw new Broken(path, value, 'a list of strings');
  value.forEach((each, index) => text(each, path, `/${index}`));
}
