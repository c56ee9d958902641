import { invalidParameter, missingParameter } from './errors.ts';
import { type Params, text } from './form.ts';

/** The text under `name`; refuses the call with MissingParameter when it is absent or empty. */
export function required(params: Params, name: string): string {
  const value = text(params, name);
  if (value === undefined || value === '') throw missingParameter(name);
  return value;
}

/** A whole number, or `undefined` when absent. */
export function integer(params: Params | undefined, name: string): number | undefined {
  const value = text(params, name);
  if (value === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(value))
    throw invalidParameter(`Value (${value}) for parameter ${name} is invalid. Expected an integer.`);
  return Number(value);
}

/** A number that may have a fraction, or `undefined` when absent. */
export function decimal(params: Params | undefined, name: string): number | undefined {
  const value = text(params, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value === '' || !Number.isFinite(number))
    throw invalidParameter(`Value (${value}) for parameter ${name} is invalid. Expected a number.`);
  return number;
}

/** `true` or `false` in any case, or `undefined` when absent. */
export function flag(params: Params | undefined, name: string): boolean | undefined {
  const value = text(params, name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false')
    throw invalidParameter(`Value (${value}) for parameter ${name} is invalid. Expected a boolean.`);
  return value === 'true';
}

/** One of `allowed`, or `undefined` when absent. */
export function oneOf<const Word extends string>(
  params: Params | undefined,
  name: string,
  allowed: readonly Word[],
): Word | undefined {
  const value = text(params, name);
  if (value === undefined) return undefined;
  const found = allowed.find((word) => word === value);
  if (found === undefined)
    throw invalidParameter(`Value (${value}) for parameter ${name} is invalid. Valid values: ${allowed.join(', ')}.`);
  return found;
}

/** A time in milliseconds, or `undefined` when absent. */
export function time(params: Params | undefined, name: string): number | undefined {
  const value = text(params, name);
  if (value === undefined) return undefined;
  const at = Date.parse(value);
  if (Number.isNaN(at))
    throw invalidParameter(`Value (${value}) for parameter ${name} is invalid. Expected a time as in ISO 8601.`);
  return at;
}
