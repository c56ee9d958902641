import { ProviderFault } from '../../contract/fault.ts';
import { shortened } from '../../texts/shortened.ts';
import { thrownError } from './thrown-error.ts';

/** The longest stored wait in milliseconds, including the random part that spreads retries. */
const longestMs = 480_000;
/** The shortest wait in milliseconds. Immediate endless retries would block all other work. */
const shortestMs = 100;

/** The most characters of a message and of a code. */
const longestMessage = 4_000;
const longestCode = 128;
/** Of the keys of offers: a fault is stored with its request. */
const longestKey = 4_000;
const mostKeys = 10_000;

/** Limits a wait that a plugin requests, in milliseconds. */
export const boundedWait = (ms: number): number => Math.min(Math.max(ms, shortestMs), longestMs);

const isShort = (value: unknown, most: number): boolean => typeof value === 'string' && value.length <= most;

const isKey = (value: unknown): value is string => isShort(value, longestKey);

const areKeys = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= mostKeys && value.every(isKey);

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
    isShort(message, longestMessage) &&
    isShort(code, longestCode) &&
    (offer === undefined || isKey(offer)) &&
    (offers === undefined || areKeys(offers)) &&
    (lack === undefined || isLack(lack)) &&
    (token_spent === undefined || isSpent(token_spent)) &&
    wait === ms;
  if (sound) return fault;
  const text = typeof message === 'string' ? shortened(message, longestMessage) : 'The fault has no message.';
  return new ProviderFault(kind, text, {
    ...(typeof code === 'string' ? { code: code.slice(0, longestCode) } : {}),
    ...(isKey(offer) ? { offer } : {}),
    ...(areKeys(offers) ? { offers } : {}),
    ...(isLack(lack) ? { lack } : {}),
    ...(wait === undefined ? {} : { retry_after_ms: wait }),
    ...(isSpent(token_spent) ? { token_spent } : {}),
    cause: thrownError(fault),
  });
}
