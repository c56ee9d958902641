import { ProviderFault, type Shortfall } from '../../../core/index.ts';

/** What parameters hold, each with the name of its parameter. */
type Values = ReadonlyMap<string, string>;

/** A text of the cloud without what parameters hold: whoever may name a parameter need not be one who may read it. */
export function concealed(text: string, values: Values): string {
  let told = text;
  for (const [value, name] of values)
    if (told.includes(value)) told = told.replaceAll(value, `image of parameter ${name}`);
  return told;
}

/** A fault whose message says nothing of what parameters hold. */
export function concealedIn(fault: ProviderFault, values: Values): ProviderFault {
  const message = concealed(fault.message, values);
  if (message === fault.message) return fault;
  const { kind, code, offer, retry_after_ms } = fault;
  return new ProviderFault(kind, message, {
    code,
    ...(offer === undefined ? {} : { offer }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  });
}

/** Reasons of the cloud in the same way. */
export const concealedReasons = (reasons: readonly Shortfall[], values: Values): Shortfall[] =>
  reasons.map((each) => ({ ...each, message: concealed(each.message, values) }));
