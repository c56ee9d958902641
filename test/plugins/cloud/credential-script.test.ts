import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stage } from './support.ts';

async function scripted(t: ExecutionContext, body: string) {
  const directory = await mkdtemp(join(tmpdir(), 'muster-credential-script-'));
  const credential_script = join(directory, 'credentials.sh');
  await writeFile(credential_script, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const stand = await stage({ access_key_id: null, secret_access_key: null, credential_script });
  t.teardown(async () => (await stand.close(), rm(directory, { recursive: true })));
  return { ...stand, directory };
}

const printed = (key: string, inSeconds: number) =>
  `echo '{"AccessKeyId": "${key}", "SecretAccessKey": "s3cr3t", "SessionToken": "t", "Expiration": "'$(date -u -d '+${inSeconds} seconds' +%Y-%m-%dT%H:%M:%SZ)'"}'`;

test('the credentials are those that the script prints, and the script runs once until they expire', async (t) => {
  const { session, call, simulator, directory } = await scripted(
    t,
    `echo x >> "$(dirname "$0")/asked"; ${printed('AKIAOFTHESCRIPT00000', 3600)}`,
  );
  await session.account(call);
  await session.read((ec2) => new ec2.DescribeAvailabilityZonesCommand({}), call);
  const other = await stage({ access_key_id: 'AKIAOFTHESCRIPT00000', secret_access_key: 's3cr3t' });
  t.teardown(() => other.close());
  t.is(await session.account(call), await other.session.account(call));
  t.true(simulator.audit().length > 0);
  const { readFileSync } = await import('node:fs');
  t.true(readFileSync(join(directory, 'asked'), 'utf8').length <= 4, 'each client asks at most once');
});

const wrong: readonly (readonly [what: string, body: string, message: RegExp])[] = [
  ['that fails', 'echo s3cr3t; exit 3', /credentials\.sh ended with 3\.$/],
  ['that prints no JSON', 'echo s3cr3t', /output of the credential_script \S+credentials\.sh is not JSON\./],
  ['that prints no key', 'echo \'{"SecretAccessKey": "s3cr3t"}\'', /no AccessKeyId/],
];
for (const [what, body, message] of wrong) {
  test(`a script ${what} is a fault of credentials that shows no secret`, async (t) => {
    const { session, call } = await scripted(t, body);
    const fault = await session.account(call).catch((error: unknown) => error as { kind: string; message: string });
    t.like(fault, { kind: 'credentials' });
    t.regex((fault as { message: string }).message, message);
    t.false((fault as { message: string }).message.includes('s3cr3t'));
  });
}
