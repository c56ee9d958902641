import type { Credentials } from './credentials.ts';

/** Who is asked for credentials. */
export type Asked = Extract<Credentials, (...options: any) => unknown>;

/** The SDK asks again for what ends within so long. */
const sdkAheadMs = 300_000;
/** How long keys without an end are kept. */
const keptMs = 60_000;

/**
 * Credentials that are asked for anew before they end; those that do not say when they end, as keys in a file, each minute. The SDK would keep such for
 * ever, and a file that is written anew would be of no use before the next start. While the file cannot be read what it said holds.
 */
export function fresh(ask: Asked): Asked {
  let last: Awaited<ReturnType<Asked>> | undefined;
  return async (properties) => {
    const given = await ask({ ...properties, forceRefresh: true }).catch((error: unknown) => {
      if (last) return last;
      throw error;
    });
    last = given.expiration === undefined ? given : undefined;
    return { ...given, expiration: given.expiration ?? new Date(Date.now() + sdkAheadMs + keptMs) };
  };
}
