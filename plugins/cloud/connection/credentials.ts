import { existsSync } from 'node:fs';
import { ProviderFault } from '../../../core/index.ts';
import type { CloudSettings } from '../config.ts';
import { credentialsOfScript } from './credential-script.ts';
import { type Credentials, refreshingCredentials } from './refreshing-credentials.ts';

/** What an SDK client is told about who is calling. */
export interface Identity {
  /** Absent: the SDK's own chain (environment, shared files, metadata service). */
  readonly credentials?: Credentials;
  /** For the SDK's own chain. */
  readonly profile?: string;
}

/** The simulated cloud asks nobody who he is; this lets it run without any configuration. */
const simulated: Credentials = { accessKeyId: 'AKIASIMULATOR0000000', secretAccessKey: 'simulated' };

/** Texts of the configuration that no message may show. */
export function secretsOf(settings: CloudSettings): string[] {
  return [settings.access_key_id, settings.secret_access_key, settings.session_token].filter(
    (secret) => secret !== null,
  );
}

/**
 * Who the configuration says we are, before a role is assumed: static keys, else what a script prints, else a profile
 * of a named or the usual credentials file, else the SDK's chain; nothing at all with the simulated cloud is a
 * harmless key. /
 */
export async function callerOf(settings: CloudSettings): Promise<Identity> {
  const {
    access_key_id,
    secret_access_key,
    session_token,
    profile,
    credential_file,
    credential_script,
    endpoint_url,
  } = settings;
  if (access_key_id !== null || secret_access_key !== null) {
    if (access_key_id === null || secret_access_key === null) {
      throw new ProviderFault(
        'credentials',
        'access_key_id and secret_access_key go together; one of them is missing.',
      );
    }
    return {
      credentials: {
        accessKeyId: access_key_id,
        secretAccessKey: secret_access_key,
        ...(session_token === null ? {} : { sessionToken: session_token }),
      },
    };
  }
  if (credential_script !== null)
    return { credentials: refreshingCredentials(() => credentialsOfScript(credential_script)) };
  if (credential_file !== null) {
    const { fromIni } = await import('@aws-sdk/credential-provider-ini');
    const read = fromIni({ filepath: credential_file, ignoreCache: true, ...(profile === null ? {} : { profile }) });
    return {
      credentials: refreshingCredentials(async (asked) => {
        // The SDK would say that it has no such profile.
        if (!existsSync(credential_file))
          throw new ProviderFault('credentials', `credential_file ${credential_file} does not exist.`);
        return read(asked);
      }),
    };
  }
  if (profile !== null) return { profile };
  return endpoint_url?.startsWith('simulator:') ? { credentials: simulated } : {};
}
