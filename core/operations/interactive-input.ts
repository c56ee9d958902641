import type { TObject } from 'typebox';
import { conversionPlanOf } from '../schema/conversion-plan.ts';
import type { Operation } from './operation.ts';

type InteractiveOperation = Pick<Operation<any, any>, 'input' | 'interactive_defaults'>;

/** The input schema of an operation with its interactive defaults, for the command line and MCP. */
export function interactiveInput({ input, interactive_defaults = {} }: InteractiveOperation): TObject {
  const defaults = Object.entries(interactive_defaults);
  if (defaults.length === 0) return input;
  const changed = defaults.map(([name, fallback]) => [name, { ...input.properties[name], default: fallback }]);
  return { ...input, properties: { ...input.properties, ...Object.fromEntries(changed) } };
}

/** Adds the interactive defaults of the fields that are absent in every spelling. */
export function withInteractiveDefaults(
  { input, interactive_defaults = {} }: InteractiveOperation,
  given: Readonly<Record<string, unknown>>,
) {
  const { spellings } = conversionPlanOf(input);
  const present = new Set(Object.keys(given).map((spelling) => spellings?.get(spelling) ?? spelling));
  return {
    ...Object.fromEntries(Object.entries(interactive_defaults).filter(([name]) => !present.has(name))),
    ...given,
  };
}
