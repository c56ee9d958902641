import { ProviderFault, type Shortfall } from '../../../core/index.ts';

/** Values of parameters, each with the name of its parameter. */
type Values = ReadonlyMap<string, string>;

/** A text of the cloud without values of parameters: a user who may name a parameter may not be allowed to read it. */
export function redacted(text: string, values: Values): string {
  let redactedText = text;
  for (const [value, name] of values)
    if (redactedText.includes(value)) redactedText = redactedText.replaceAll(value, `image of parameter ${name}`);
  return redactedText;
}

/** The fault with a message that contains no value of a parameter. */
export function redactedFault(fault: ProviderFault, values: Values): ProviderFault {
  const message = redacted(fault.message, values);
  if (message === fault.message) return fault;
  const { kind, code, offer, offers, lack, retry_after_ms, token_spent } = fault;
  return new ProviderFault(kind, message, {
    code,
    ...(offer === undefined ? {} : { offer }),
    ...(offers === undefined ? {} : { offers }),
    ...(lack === undefined ? {} : { lack }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(token_spent === undefined ? {} : { token_spent }),
  });
}

/** The shortfalls with messages that contain no value of a parameter. */
export const redactedReasons = (reasons: readonly Shortfall[], values: Values): Shortfall[] =>
  reasons.map((each) => ({ ...each, message: redacted(each.message, values) }));
