import { isObject } from '../../../core/index.ts';

type Tree = Readonly<Record<string, unknown>>;

/** `over` laid on `base`: objects are merged, `null` removes, everything else, lists too, is replaced. */
export function overlay(base: Tree, over: Tree | undefined): Record<string, unknown> {
  const laid: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over ?? {})) {
    if (name === '__proto__') continue;
    const below = laid[name];
    if (value === null) delete laid[name];
    else laid[name] = isObject(value) && isObject(below) ? overlay(below, value) : value;
  }
  return laid;
}
