import type { CredentialState } from '../../../../core/index.ts';
import type { CloudSettings } from '../../config.ts';
import type { CredentialProvider } from './refreshing-credentials.ts';

/** The fields of credentials that are read. */
interface GivenCredentials {
  readonly expiration?: Date | undefined;
  /** How the SDK found them: the ids of features for its user agent, by name. */
  readonly $source?: Readonly<Record<string, unknown>>;
}

/** Knows when the credentials of a session end, without asking for them. */
export interface CredentialWatch {
  /** Sees what the source of the credentials gives. */
  follow(credentials: CredentialProvider): CredentialProvider;
  state(): CredentialState;
}

/** The ways of the SDK to credentials, as its user agent names them; the first one that is found counts. */
const ways: readonly (readonly [feature: RegExp, word: string, renewed: boolean])[] = [
  [/IMDS/, 'instance metadata', true],
  [/HTTP/, 'container', true],
  [/WEB_ID/, 'web identity', true],
  [/ASSUME_ROLE/, 'role', true],
  [/SSO|LOGIN/, 'sign-in', false],
  [/PROCESS/, 'process', false],
  [/ENV_VARS/, 'environment', false],
];

/**
 * Follows the credentials of an instance. Other credentials than those of roles and of the host count as renewed once
 * their source gave later ones.
 */
export function credentialWatch(settings: CloudSettings): CredentialWatch {
  const source = sourceOf(settings);
  let last: GivenCredentials | undefined;
  let renewed = source === 'role';

  function note(given: GivenCredentials): void {
    if ((last?.expiration?.getTime() ?? Infinity) < (given.expiration?.getTime() ?? 0)) renewed = true;
    last = given;
  }

  return {
    follow: (load) => async (properties) => {
      const given = await load(properties);
      note(given);
      return given;
    },
    state() {
      const found = Object.keys(last?.$source ?? {});
      const way = source === 'role' ? undefined : ways.find(([feature]) => found.some((each) => feature.test(each)));
      return {
        source: way === undefined || way[1] === source ? source : `${source}: ${way[1]}`,
        expires_at: last?.expiration?.toISOString() ?? null,
        renewed: renewed || way?.[2] === true,
      };
    },
  };
}

function sourceOf(settings: CloudSettings): string {
  const { role_arn, access_key_id, secret_access_key, credential_script, credential_file, profile } = settings;
  if (role_arn !== null) return 'role';
  if (access_key_id !== null || secret_access_key !== null) return 'static keys';
  if (credential_script !== null) return 'script';
  if (credential_file !== null) return 'credentials file';
  if (profile !== null) return 'profile';
  return settings.endpoint_url?.startsWith('simulator:') ? 'simulated' : 'default chain';
}
