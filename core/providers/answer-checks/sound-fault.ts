import { ProviderFault } from '../../contract/fault.ts';

/** The longest stored wait in milliseconds, including the random part that spreads retries. */
const longestMs = 480_000;
/** The shortest wait in milliseconds. Immediate endless retries would block all other work. */
const shortestMs = 100;

/** Limits a wait that a plugin requests, in milliseconds. */
export const boundedWait = (ms: number): number => Math.min(Math.max(ms, shortestMs), longestMs);

const areKeys = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const isLack = (value: unknown): value is NonNullable<ProviderFault['lack']> =>
  value === 'terms' || value === 'untried' || value === 'denied';

const isSpent = (value: unknown): value is NonNullable<ProviderFault['token_spent']> =>
  value === 'order' || value === 'call';

/**
 * A fault with valid fields. A plugin may have made the fault by hand or copied the fields from another object; only
 * the kind is known to be valid.
 */
export function soundFault(fault: ProviderFault): ProviderFault {
  const {
    kind,
    message,
    code,
    offer,
    offers,
    lack,
    retry_after_ms: ms,
    token_spent,
  } = fault as { readonly [F in keyof ProviderFault]?: unknown } & ProviderFault;
  const wait = typeof ms === 'number' && ms >= 0 ? boundedWait(ms) : undefined;
  const sound =
    typeof message === 'string' &&
    typeof code === 'string' &&
    (offer === undefined || typeof offer === 'string') &&
    (offers === undefined || areKeys(offers)) &&
    (lack === undefined || isLack(lack)) &&
    (token_spent === undefined || isSpent(token_spent)) &&
    wait === ms;
  if (sound) return fault;
  return new ProviderFault(kind, typeof message === 'string' ? message : 'The fault has no message.', {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof offer === 'string' ? { offer } : {}),
    ...(areKeys(offers) ? { offers } : {}),
    ...(isLack(lack) ? { lack } : {}),
    ...(wait === undefined ? {} : { retry_after_ms: wait }),
    ...(isSpent(token_spent) ? { token_spent } : {}),
    cause: fault,
  });
}
