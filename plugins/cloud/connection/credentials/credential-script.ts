import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ProviderFault } from '../../../../core/index.ts';

const timeoutMs = 30_000;

interface Printed {
  readonly AccessKeyId?: unknown;
  readonly SecretAccessKey?: unknown;
  readonly SessionToken?: unknown;
  readonly Expiration?: unknown;
}

/**
 * The credentials that a program prints. The SDK keeps them and calls this function again some minutes before they
 * expire. No message shows the output of the program.
 */
export async function credentialsOfScript(script: string) {
  const printed = await run(script);
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = read(printed, script);
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string')
    throw new ProviderFault(
      'credentials',
      `The credential_script ${script} printed no AccessKeyId or no SecretAccessKey. It must print both.`,
    );
  const expiration = typeof Expiration === 'string' ? new Date(Expiration) : undefined;
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    ...(typeof SessionToken === 'string' && SessionToken !== '' ? { sessionToken: SessionToken } : {}),
    ...(expiration && !Number.isNaN(expiration.getTime()) ? { expiration } : {}),
  };
}

async function run(script: string): Promise<string> {
  try {
    return (await promisify(execFile)(script, [], { timeout: timeoutMs, maxBuffer: 1024 * 1024 })).stdout;
  } catch (error) {
    const { killed, code } = error as { readonly killed?: boolean; readonly code?: unknown };
    const why = killed ? `did not end within ${timeoutMs / 1000} s` : `ended with ${String(code)}`;
    throw new ProviderFault('credentials', `The credential_script ${script} ${why}.`);
  }
}

function read(printed: string, script: string): Printed {
  try {
    return (JSON.parse(printed) ?? {}) as Printed;
  } catch {
    throw new ProviderFault(
      'credentials',
      `The output of the credential_script ${script} is not JSON. It must print one JSON object.`,
    );
  }
}
