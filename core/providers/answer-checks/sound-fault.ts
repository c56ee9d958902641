import { ProviderFault } from '../../contract/fault.ts';

/** No wait that is stored may be longer, with what is added to spread those that wait. */
const longestMs = 480_000;
/** What is asked again at once, for ever, leaves no time for anything else. */
const shortestMs = 100;

/** A wait that a plugin asks for, within bounds. */
export const boundedWait = (ms: number): number => Math.min(Math.max(ms, shortestMs), longestMs);

/** A fault as the core can keep it: a plugin may have made it by hand, or of something else's fields. Its kind is known. */
export function soundFault(fault: ProviderFault): ProviderFault {
  const { kind, message, code, offer, retry_after_ms: ms } = fault as { readonly [F in keyof ProviderFault]?: unknown } & ProviderFault;
  const wait = typeof ms === 'number' && ms >= 0 ? boundedWait(ms) : undefined;
  const sound =
    typeof message === 'string' && typeof code === 'string' && (offer === undefined || typeof offer === 'string') && wait === ms;
  if (sound) return fault;
  return new ProviderFault(kind, typeof message === 'string' ? message : 'It did not say why.', {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof offer === 'string' ? { offer } : {}),
    ...(wait === undefined ? {} : { retry_after_ms: wait }),
    cause: fault,
  });
}
