import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { cloud } from '../../../plugins/cloud/index.ts';
import { stage } from './support.ts';

const role = 'arn:aws:iam::210987654321:role/broker';
const none = { access_key_id: null, secret_access_key: null };

/** A credentials file with a profile of keys, and one that assumes a role with them. */
async function credentialsFile(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-credentials-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const file = join(directory, 'credentials');
  await writeFile(
    file,
    '[default]\naws_access_key_id = AKIAOFTHEDEFAULT0000\naws_secret_access_key = s\n\n[other]\naws_access_key_id = AKIAOFTHEOTHER000000\naws_secret_access_key = s\n',
  );
  return file;
}

test('with role_arn the account is that of the role, for EC2 as well', async (t) => {
  const stand = await stage({ role_arn: role });
  t.teardown(() => stand.close());
  t.is(await stand.session.account(stand.call), '210987654321');
  await stand.session.read((ec2) => new ec2.DescribeAvailabilityZonesCommand({}), stand.call);
  const accounts = Object.fromEntries(stand.simulator.audit().map(({ action, account }) => [action, account]));
  t.not(accounts['AssumeRole'], '210987654321');
  t.is(accounts['DescribeAvailabilityZones'], '210987654321');
});

test('a role that may not be assumed is a fault of credentials, with the role in its message', async (t) => {
  const stand = await stage({ role_arn: role });
  t.teardown(() => stand.close());
  stand.simulator.setKnobs({ auth: { denied: [{ action: 'AssumeRole' }] } });
  await t.throwsAsync(stand.session.account(stand.call), { message: /AssumeRole|broker/ });
  const fault = await stand.session.account(stand.call).catch((error: unknown) => error as { kind: string });
  t.like(fault, { kind: 'credentials' });
});

test('a profile of the credential file is used for calls, and can assume a role', async (t) => {
  const credential_file = await credentialsFile(t);
  const accountOf = async (config: object) => {
    const stand = await stage({ ...none, credential_file, ...config });
    t.teardown(() => stand.close());
    return stand.session.account(stand.call);
  };
  const [usual, other] = [await accountOf({}), await accountOf({ profile: 'other' })];
  t.regex(usual, /^\d{12}$/);
  t.not(usual, other);
  t.is(await accountOf({ profile: 'other', role_arn: role }), '210987654321');
});

test('with a proxy every call goes through it', async (t) => {
  const passed: string[] = [];
  const proxy = createServer((req, res) => {
    passed.push(req.url ?? '');
    const onward = request(req.url ?? '', { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  const stand = await stage({ proxy_host: '127.0.0.1', proxy_port: (proxy.address() as AddressInfo).port });
  t.teardown(() => stand.close());
  await stand.session.read((ec2) => new ec2.DescribeAvailabilityZonesCommand({}), stand.call);
  t.is(passed.length, 1);
  t.true(passed[0]?.startsWith(stand.simulator.url));
});

test('the fault of refused credentials names the instance and the code', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  stand.simulator.setKnobs({
    faults: [
      { action: 'DescribeAvailabilityZones', effect: 'skip', then: 'error', code: 'RequestExpired', status: 400 },
    ],
  });
  await t.throwsAsync(cloud.check?.(stand.session, stand.call) as Promise<void>, {
    message: /^AWS refused the credentials of 'east' \(RequestExpired\): .*Error Code: RequestExpired$/,
  });
});

test('the fault of a missing credential file names its path and the instance', async (t) => {
  const stand = await stage({ ...none, credential_file: '/nowhere/credentials' });
  t.teardown(() => stand.close());
  const fault = await stand.session.account(stand.call).catch((error: unknown) => error as Error);
  t.like(fault, {
    kind: 'credentials',
    message:
      "The credentials of 'east' cannot be used: credential_file /nowhere/credentials does not exist. Correct the path.",
  });
});

test.serial(
  'a profile that does not exist is named, with the files that were looked into and their profiles',
  async (t) => {
    const file = await credentialsFile(t);
    const config = join(file, '../config');
    await writeFile(config, '[profile lab]\nregion = us-east-1\n[sso-session corp]\nsso_region = us-east-1\n');
    const env = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONFIG_FILE: config, AWS_EC2_METADATA_DISABLED: 'true' };
    const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, env);
    t.teardown(() => {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    const faultWith = async (settings: object) => {
      const stand = await stage({ ...none, ...settings });
      t.teardown(() => stand.close());
      return stand.session.account(stand.call).catch((error: unknown) => error as Error);
    };
    const there = `The profile 'nope' does not exist in ${file} or in ${config}. There are: 'default', 'lab', 'other'.`;
    const said = { kind: 'credentials', message: `The credentials of 'east' cannot be used: ${there}` };
    t.like(await faultWith({ profile: 'nope' }), said);
    t.like(await faultWith({ profile: 'nope', credential_file: file }), said);
    process.env['AWS_CONFIG_FILE'] = '/nowhere/config';
    const { message } = (await faultWith({ profile: 'nope' })) as Error;
    t.regex(message, /or in \/nowhere\/config \(no such file\)\. There are: 'default', 'other'\.$/);
    // It exists, and has no credentials.
    process.env['AWS_CONFIG_FILE'] = config;
    t.notRegex(((await faultWith({ profile: 'lab' })) as Error).message, /does not exist in/);
  },
);
