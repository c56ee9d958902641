import { existsSync } from 'node:fs';
import { ProviderFault } from '../../../../core/index.ts';
import type { CloudSettings } from '../../config.ts';
import { credentialsOfScript } from './credential-script.ts';
import type { CredentialWatch } from './credential-watch.ts';
import { type Credentials, refreshingCredentials } from './refreshing-credentials.ts';

/** The credential options of an SDK client. */
export interface Identity {
  /** Absent: the default chain of the SDK (environment, shared files, metadata service). */
  readonly credentials?: Credentials;
  /** A profile for the default chain. */
  readonly profile?: string;
}

/** The simulated cloud accepts any credentials. These let it run without configuration. */
const simulated: Credentials = { accessKeyId: 'AKIASIMULATOR0000000', secretAccessKey: 'simulated' };

/** Values of the configuration that no message may show. */
export function secretsOf(settings: CloudSettings): string[] {
  return [settings.access_key_id, settings.secret_access_key, settings.session_token].filter(
    (secret) => secret !== null,
  );
}

/**
 * The configured identity, before a role is assumed: static keys, or else the output of a script, or else a profile of
 * the named or the default credentials file, or else the default chain of the SDK. The simulated cloud without
 * configured credentials gets fixed dummy keys. `follow` sees the credentials as their source gives them.
 */
export async function callerOf(settings: CloudSettings, follow: CredentialWatch['follow']): Promise<Identity> {
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
        'access_key_id and secret_access_key belong together; one of them is missing. Set both or none.',
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
    return { credentials: refreshingCredentials(follow(() => credentialsOfScript(credential_script))) };
  if (credential_file !== null) {
    const { fromIni } = await import('@aws-sdk/credential-provider-ini');
    const read = fromIni({ filepath: credential_file, ignoreCache: true, ...(profile === null ? {} : { profile }) });
    return {
      credentials: refreshingCredentials(
        follow(async (asked) => {
          // The SDK would report a missing profile instead.
          if (!existsSync(credential_file))
            throw new ProviderFault(
              'credentials',
              `credential_file ${credential_file} does not exist. Correct the path.`,
            );
          return read(asked);
        }),
      ),
    };
  }
  if (profile !== null) return { profile };
  return endpoint_url?.startsWith('simulator:') ? { credentials: simulated } : {};
}
