import type { EC2ClientConfig } from '@aws-sdk/client-ec2';

/** Keys, or a function that the SDK calls for them. */
export type Credentials = NonNullable<EC2ClientConfig['credentials']>;

/** The function that the SDK calls for credentials. */
export type CredentialProvider = Extract<Credentials, (...options: any) => unknown>;

/** The SDK refreshes credentials that expire within this time. */
const sdkRefreshMs = 300_000;
/** How long keys without an expiration are kept. */
const keptMs = 60_000;

/**
 * A credential provider that calls another one again before its credentials expire. Credentials without an expiration,
 * such as keys in a file, are read again each minute: the SDK would keep them forever, and a changed file would take
 * effect only after a restart. While the file cannot be read, the last keys stay in use.
 */
export function refreshingCredentials(load: CredentialProvider): CredentialProvider {
  let last: Awaited<ReturnType<CredentialProvider>> | undefined;
  return async (properties) => {
    const given = await load({ ...properties, forceRefresh: true }).catch((error: unknown) => {
      if (last) return last;
      throw error;
    });
    last = given.expiration === undefined ? given : undefined;
    return { ...given, expiration: given.expiration ?? new Date(Date.now() + sdkRefreshMs + keptMs) };
  };
}
