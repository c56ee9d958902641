import type { EC2ClientConfig } from '@aws-sdk/client-ec2';

/** Keys, or the function that the SDK asks for them. */
export type Credentials = NonNullable<EC2ClientConfig['credentials']>;

/** The function that the SDK asks for credentials. */
export type CredentialProvider = Extract<Credentials, (...options: any) => unknown>;

/** The SDK asks again for credentials that end within this time. */
const sdkAheadMs = 300_000;
/** How long keys without an end are kept. */
const keptMs = 60_000;

/**
 * A credential provider that asks another again before its credentials end; those that do not say when they end, as
 * keys in a file, each minute. The SDK would keep such keys for ever, and a file that is written again would be of no
 * use before the next start. While the file cannot be read, the keys read last stay in use. /
 */
export function refreshingCredentials(ask: CredentialProvider): CredentialProvider {
  let last: Awaited<ReturnType<CredentialProvider>> | undefined;
  return async (properties) => {
    const given = await ask({ ...properties, forceRefresh: true }).catch((error: unknown) => {
      if (last) return last;
      throw error;
    });
    last = given.expiration === undefined ? given : undefined;
    return { ...given, expiration: given.expiration ?? new Date(Date.now() + sdkAheadMs + keptMs) };
  };
}
