import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import {
  AssumeRoleCommand,
  type AssumeRoleCommandInput,
  GetCallerIdentityCommand,
  STSClient,
} from '@aws-sdk/client-sts';
import { fromIni } from '@aws-sdk/credential-provider-ini';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import { seededRandom } from '../../../plugins/cloud-simulator/random.ts';
import type { SimulatorOptions } from '../../../plugins/cloud-simulator/server/server.ts';
import { accountOf } from '../../../plugins/cloud-simulator/wire/caller.ts';
import { accountOfSessionKey, sessionKey } from '../../../plugins/cloud-simulator/wire/session-key.ts';
import { codeOf, launch, openCloud, refusal } from './support.ts';

const account = '012345678901';
const role = `arn:aws:iam::${account}:role/teams/broker`;

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

async function openSts(t: ExecutionContext, options: SimulatorOptions = {}) {
  const cloud = await openCloud(t, options);
  const shared = { endpoint: cloud.simulator.url, region: 'us-east-1', maxAttempts: 1 };
  const sts = (credentials: Keys = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' }) => {
    const client = new STSClient({ ...shared, credentials });
    t.teardown(() => client.destroy());
    return client;
  };
  const ec2As = (credentials: Keys) => {
    const client = new EC2Client({ ...shared, credentials });
    t.teardown(() => client.destroy());
    return client;
  };
  const assume = async (input: Partial<AssumeRoleCommandInput> = {}, from = sts()) => {
    const answer = await from.send(new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 'broker-1', ...input }));
    const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = answer.Credentials ?? {};
    return {
      answer,
      keys: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
    };
  };
  return { ...cloud, shared, sts, ec2As, assume };
}

test('an assumed role acts in its account, under its own name', async (t) => {
  const { simulator, sts, ec2As, assume } = await openSts(t);
  const { answer, keys } = await assume({ ExternalId: 'abc', DurationSeconds: 900 });
  t.regex(keys.accessKeyId, /^ASIA[A-Z2-7]{16}$/);
  t.is(answer.Credentials?.Expiration?.getTime(), simulator.clock.now() + 900_000);
  t.is(answer.AssumedRoleUser?.Arn, `arn:aws:sts::${account}:assumed-role/broker/broker-1`);
  t.like(simulator.audit()[0], {
    action: 'AssumeRole',
    account: accountOf('AKIATEST0001'),
    ids: [keys.accessKeyId],
    executed: true,
  });

  const identity = await sts(keys).send(new GetCallerIdentityCommand({}));
  t.like(identity, {
    Account: account,
    Arn: answer.AssumedRoleUser?.Arn,
    UserId: answer.AssumedRoleUser?.AssumedRoleId,
  });
  await ec2As(keys).send(launch());
  t.is(simulator.ledger(account).untagged.length, 1);
  t.is(simulator.ledger('AKIATEST0001').untagged.length, 0);
});

test('the keys of a role end at their expiration', async (t) => {
  const { simulator, sts, ec2As, assume } = await openSts(t);
  const { keys } = await assume({ DurationSeconds: 900 });
  simulator.advance(899_999);
  await t.notThrowsAsync(ec2As(keys).send(new DescribeInstancesCommand({})));
  simulator.advance(1);
  t.is(await codeOf(ec2As(keys).send(new DescribeInstancesCommand({}))), 'RequestExpired');
  t.is(await codeOf(sts(keys).send(new GetCallerIdentityCommand({}))), 'ExpiredToken');
  t.like(simulator.audit().at(-1), { account, executed: false, code: 'ExpiredToken' });
});

test('a simulator that is started again knows the account of keys that it gave out before, and takes them as valid', async (t) => {
  const { keys } = await (await openSts(t)).assume();
  const { sts } = await openSts(t, { seed: 2, knobs: { auth: { known_keys: [] } } });
  const { Account, Arn } = await sts(keys).send(new GetCallerIdentityCommand({}));
  t.is(Account, account);
  t.regex(Arn ?? '', /^arn:aws:sts::012345678901:assumed-role\//);
  t.is(await codeOf(sts().send(new GetCallerIdentityCommand({}))), 'InvalidClientTokenId');
});

test('a role assumes another one, for an hour at most', async (t) => {
  const { sts, assume } = await openSts(t);
  const { keys } = await assume({ DurationSeconds: 43_200 });
  const other = 'arn:aws:iam::222222222222:role/second';
  const second = await assume({ RoleArn: other, DurationSeconds: 3600 }, sts(keys));
  t.is((await sts(second.keys).send(new GetCallerIdentityCommand({}))).Account, '222222222222');
  t.is(await codeOf(assume({ RoleArn: other, DurationSeconds: 3601 }, sts(keys))), 'ValidationError');
});

const wrong: readonly [input: Partial<AssumeRoleCommandInput>, message: RegExp][] = [
  [{ RoleArn: 'arn:aws:iam::1:role/too-short' }, /is invalid/],
  [{ RoleArn: `arn:aws:iam::${account}:user/somebody` }, /is invalid/],
  [{ RoleArn: 'short' }, /'roleArn'/],
  [{ RoleArn: undefined }, /^1 .*null at 'roleArn'/],
  [{ RoleSessionName: 'a' }, /'roleSessionName'/],
  [{ RoleSessionName: 'with space' }, /'roleSessionName'/],
  [{ RoleSessionName: 'x'.repeat(65) }, /'roleSessionName'/],
  [{ DurationSeconds: 899 }, /'durationSeconds'/],
  [{ DurationSeconds: 43_201 }, /'durationSeconds'/],
  [{ RoleSessionName: 'a', DurationSeconds: 1 }, /^2 validation errors.*roleSessionName.*durationSeconds/],
];
for (const [input, message] of wrong) {
  test(`AssumeRole refuses ${JSON.stringify(input).slice(0, 80)} with a ValidationError`, async (t) => {
    const { assume, simulator } = await openSts(t);
    const met = await refusal(assume(input));
    t.is(met.code, 'ValidationError');
    t.is(met.status, 400);
    t.regex(met.message, message);
    t.like(simulator.audit()[0], { executed: false, ids: [] });
  });
}

test('a profile with role_arn works through the SDK, which asks again shortly before the keys end', async (t) => {
  // An hour from there is a minute from now.
  const { simulator, shared } = await openSts(t, { clock: standingClock(Date.now() - 59 * 60_000) });
  const directory = await mkdtemp(join(tmpdir(), 'muster-profile-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const file = join(directory, 'config');
  const lines = ['[profile base]', 'aws_access_key_id = AKIATEST0001', 'aws_secret_access_key = secret'];
  lines.push('[profile fleet]', `role_arn = ${role}`, 'source_profile = base', 'role_session_name = from-profile');
  await writeFile(file, `${lines.join('\n')}\n`);
  const provider = fromIni({
    profile: 'fleet',
    filepath: join(directory, 'none'),
    configFilepath: file,
    clientConfig: { endpoint: shared.endpoint, region: 'us-east-1' },
  });
  const ec2 = new EC2Client({ ...shared, credentials: provider });
  t.teardown(() => ec2.destroy());
  await ec2.send(launch());
  await ec2.send(new DescribeInstancesCommand({}));
  // How often in a row the SDK asks is its own affair.
  const steps = simulator.audit().map((entry) => `${entry.action} by ${entry.account}`);
  const base = accountOf('AKIATEST0001');
  t.deepEqual(
    steps.filter((step, index) => step !== steps[index - 1]),
    [
      `AssumeRole by ${base}`,
      `RunInstances by ${account}`,
      `AssumeRole by ${base}`,
      `DescribeInstances by ${account}`,
    ],
  );
});

test('every account is read back from a key of it, and no other key is taken for one', (t) => {
  const random = seededRandom(1);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (number) => {
      const text = String(number).padStart(12, '0');
      const key = sessionKey(text, random);
      return key.length === 20 && accountOfSessionKey(key) === text && accountOf(key) === text;
    }),
  );
  for (const key of ['AKIATEST0001', 'ASIAIOSFODNN7EXAMPLE', 'ASIAAAAAAAAAAAAAAAAA', 'ASIA', ''])
    t.is(accountOfSessionKey(key), undefined, key);
});

test('a role demands its external id, and limits the duration of its sessions', async (t) => {
  const { assume } = await openSts(t, { knobs: { auth: { roles: [{ arn: role, external_id: 'customer-7' }] } } });
  t.is(await codeOf(assume()), 'AccessDenied');
  t.is(await codeOf(assume({ ExternalId: 'customer-8' })), 'AccessDenied');
  t.truthy((await assume({ ExternalId: 'customer-7' })).keys.accessKeyId);
  const long = { ExternalId: 'customer-7', DurationSeconds: 3601 };
  t.regex((await refusal(assume(long))).message, /MaxSessionDuration/);
  t.truthy((await assume({ RoleArn: `${role}-2`, DurationSeconds: 43_200 })).keys.accessKeyId);
});

test('identities are in the partition of the region that is called', async (t) => {
  const { simulator } = await openSts(t);
  for (const [region, partition] of [
    ['cn-north-1', 'aws-cn'],
    ['eusc-de-east-1', 'aws-eusc'],
    ['us-isob-east-1', 'aws-iso-b'],
    ['eu-west-1', 'aws'],
  ]) {
    const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };
    const sts = new STSClient({ endpoint: simulator.url, region: region as string, credentials });
    const { Arn } = await sts.send(new GetCallerIdentityCommand({}));
    t.is(Arn?.split(':')[1], partition);
    sts.destroy();
  }
});
