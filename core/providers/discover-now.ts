import { noCheckup } from './checkup.ts';
import type { AccountContents } from '../contract/provider/account-contents.ts';
import type { SessionPool } from './guard/session-pool.ts';
import { isFault, ProviderFault, type FaultKind } from '../contract/fault.ts';
import { BrokerError } from '../contract/errors.ts';
import { errorText } from './answer-checks/thrown-error.ts';

/** What came of a discovery of an account. */
export type DiscoverResult =
  | { readonly contents: AccountContents }
  | { readonly fault: { readonly kind: FaultKind; readonly code: string; readonly message: string } }
  /** The provider type has no `discover`. */
  | { readonly unsupported: true };

/** Triggers the loop, in whatever process it runs, to discover the account of an instance. */
export interface Discovering {
  /** Undefined: the loop did not answer. */
  discover(instance: string): Promise<DiscoverResult | undefined>;
  trouble(): string | undefined | Promise<string | undefined>;
}

/** The time for the connection and the discovery together. */
const discoverMs = 20_000;

/** Discovers the account of an instance. Never rejects, and resolves within 20 seconds. */
export async function discoverNow(pool: SessionPool, name: string, stopping: AbortSignal): Promise<DiscoverResult> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(discoverMs)]);
  const ended = Promise.withResolvers<never>();
  const end = () =>
    ended.reject(
      new ProviderFault('unavailable', `'${name}' did not answer within ${discoverMs / 1000} s.`, { code: 'TIMEOUT' }),
    );
  signal.addEventListener('abort', end, { once: true });
  try {
    const { type } = await Promise.race([pool.connectForCheck(name), ended.promise]);
    if (!type.discover) return { unsupported: true };
    return { contents: await Promise.race([type.discover({ signal }), ended.promise]) };
  } catch (error) {
    const { kind, code, message } = isFault(error) ? error : new ProviderFault('unavailable', errorText(error));
    return { fault: { kind, code, message } };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Discovers the account of an instance through the loop. Throws a BrokerError when nothing was discovered. */
export async function discoveredBy(loop: Discovering, instance: string, type: string): Promise<AccountContents> {
  const found = await loop.discover(instance);
  if (!found)
    throw new BrokerError('UNAVAILABLE', (await loop.trouble()) ?? 'The loop does not answer.', { retry_after_s: 5 });
  if ('contents' in found) return found.contents;
  if ('unsupported' in found)
    throw new BrokerError('NOT_IMPLEMENTED', `The provider type '${type}' does not show what its accounts contain.`);
  const { kind, code, message } = found.fault;
  throw new BrokerError('UNAVAILABLE', message, { kind, code });
}

/** For a process without a loop: discovers nothing. */
export const noDiscovering: Discovering = { discover: async () => undefined, trouble: noCheckup.trouble };
