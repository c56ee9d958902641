import { isObject } from '../../../core/index.ts';

type Tree = Readonly<Record<string, unknown>>;

/**
 * Merges `over` into `base`: objects are merged, `null` removes a value, and every other value, including lists, is
 * replaced.
 */
export function overlay(base: Tree, over: Tree | undefined): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over ?? {})) {
    if (name === '__proto__') continue;
    const baseValue = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) && isObject(baseValue) ? overlay(baseValue, value) : value;
  }
  return merged;
}
