import type { TObject } from 'typebox';
import { conversionPlanOf } from '../schema/conversion-plan.ts';
import type { Operation } from './operation.ts';

type Asked = Pick<Operation<any, any>, 'input' | 'interactive_defaults'>;

/** The input of an operation as it is told to who asks in person: with the defaults that hold there. */
export function interactiveInput({ input, interactive_defaults = {} }: Asked): TObject {
  const defaults = Object.entries(interactive_defaults);
  if (defaults.length === 0) return input;
  const changed = defaults.map(([name, fallback]) => [name, { ...input.properties[name], default: fallback }]);
  return { ...input, properties: { ...input.properties, ...Object.fromEntries(changed) } };
}

/** What was given, with those defaults for what was not, under whatever spelling. */
export function withInteractiveDefaults({ input, interactive_defaults = {} }: Asked, given: Readonly<Record<string, unknown>>) {
  const { spellings } = conversionPlanOf(input);
  const said = new Set(Object.keys(given).map((spelling) => spellings?.get(spelling) ?? spelling));
  return { ...Object.fromEntries(Object.entries(interactive_defaults).filter(([name]) => !said.has(name))), ...given };
}
