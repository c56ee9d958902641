import { invalidParameter } from './errors.ts';
import { type Params, text } from './form.ts';

/** A time in milliseconds, or `undefined` when absent. */
export function time(params: Params | undefined, name: string): number | undefined {
  const value = text(params, name);
  if (value === undefined) return undefined;
  const at = Date.parse(value);
  if (Number.isNaN(at))
    throw invalidParameter(`Value (${value}) for parameter ${name} is invalid. Expected a time as in ISO 8601.`);
  return at;
}
