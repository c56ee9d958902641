import type { STSClient } from '@aws-sdk/client-sts';
import { ProviderFault } from '../../../../core/index.ts';
import type { CloudSettings } from '../../config.ts';
import type { CredentialProvider } from './refreshing-credentials.ts';

/**
 * Temporary credentials of the role `role_arn`. The SDK calls this function again before they expire. A refusal of STS
 * is a fault of the credentials of the instance, whatever call needed them.
 */
export function roleCredentials(
  role: string,
  settings: CloudSettings,
  sts: () => Promise<STSClient>,
): CredentialProvider {
  const { role_external_id, role_session_name, role_duration } = settings;
  let client: Promise<STSClient> | undefined;
  const assume = async () => {
    const { AssumeRoleCommand } = await import('@aws-sdk/client-sts');
    const input = {
      RoleArn: role,
      RoleSessionName: role_session_name,
      ...(role_external_id === null ? {} : { ExternalId: role_external_id }),
      ...(role_duration === null ? {} : { DurationSeconds: role_duration }),
    };
    try {
      return await (await (client ??= sts())).send(new AssumeRoleCommand(input));
    } catch (error) {
      throw refusal(role, error);
    }
  };
  return async () => {
    const { Credentials: given } = await assume();
    if (!given?.AccessKeyId || !given.SecretAccessKey)
      throw new ProviderFault(
        'credentials',
        `AssumeRole returned no credentials for ${role}. Check role_arn and the endpoint.`,
      );
    return {
      accessKeyId: given.AccessKeyId,
      secretAccessKey: given.SecretAccessKey,
      ...(given.SessionToken === undefined ? {} : { sessionToken: given.SessionToken }),
      ...(given.Expiration === undefined ? {} : { expiration: given.Expiration }),
    };
  };
}

/** What STS says of the role and its options. Anything else is classified as the error of any call. */
function refusal(role: string, error: unknown): unknown {
  const { name = '', message = '' } = error as { readonly name?: string; readonly message?: string };
  if (name === 'ValidationError')
    return new ProviderFault(
      'credentials',
      `The role ${role} cannot be assumed: ${message}. Check role_arn, role_session_name and role_duration. Error Code: ${name}`,
      { code: name, cause: error },
    );
  if (!name.startsWith('AccessDenied')) return error;
  return new ProviderFault(
    'credentials',
    `The role ${role} may not be assumed: ${message}. Check the trust policy of the role, role_external_id, and the permission sts:AssumeRole of the caller. Error Code: ${name}`,
    { code: name, cause: error },
  );
}
