import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand, EC2Client, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import test, { type ExecutionContext } from 'ava';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { codeOf, launch, openCloud, refusal } from './support.ts';

const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };
const look = () => new DescribeInstancesCommand({});
const minutes = (count: number) => count * 60_000;

async function openServices(t: ExecutionContext, knobs: KnobChange = {}) {
  const cloud = await openCloud(t, { knobs });
  const options = { endpoint: cloud.simulator.url, region: 'us-east-1', maxAttempts: 1, credentials };
  const groups = new AutoScalingClient(options);
  const sts = new STSClient(options);
  t.teardown(() => {
    groups.destroy();
    sts.destroy();
  });
  return { ...cloud, groups, sts };
}

const refusals: readonly [name: string, knobs: KnobChange, expected: readonly string[]][] = [
  [
    'a key that is not known',
    { auth: { known_keys: ['AKIATEST0002'] } },
    ['AuthFailure 401', 'InvalidClientTokenId 403', 'InvalidClientTokenId 403'],
  ],
  ['expired credentials', { auth: { expired: [{}] } }, ['RequestExpired 400', 'ExpiredToken 403', 'ExpiredToken 403']],
  [
    'a clock that is off',
    { auth: { clock_skew_ms: minutes(6) } },
    ['RequestExpired 400', 'SignatureDoesNotMatch 403', 'SignatureDoesNotMatch 403'],
  ],
  [
    'an action that is denied',
    {
      auth: {
        denied: [
          { action: 'DescribeInstances' },
          { action: 'DescribeAutoScalingGroups' },
          { action: 'GetCallerIdentity' },
        ],
      },
    },
    ['UnauthorizedOperation 403', 'AccessDenied 403', 'AccessDenied 403'],
  ],
];
for (const [name, knobs, expected] of refusals) {
  test(`${name} is refused by each service in its words, in the audit and without effect`, async (t) => {
    const { simulator, ec2, groups, sts, client } = await openServices(t, knobs);
    const met = [
      await refusal(ec2.send(look())),
      await refusal(groups.send(new DescribeAutoScalingGroupsCommand({}))),
      await refusal(sts.send(new GetCallerIdentityCommand({}))),
    ];
    t.deepEqual(
      met.map(({ code, status }) => `${code} ${status}`),
      expected,
    );
    t.deepEqual(
      simulator.audit().map(({ executed, answered, code }) => [executed, answered, code]),
      expected.map((one) => [false, true, one.split(' ')[0]]),
    );
    simulator.setKnobs({ auth: { known_keys: null, expired: [], denied: [], clock_skew_ms: 0 } });
    await t.notThrowsAsync(client().send(look()));
  });
}

test('a known key, and every action that is not denied, pass', async (t) => {
  const { ec2, sts, groups } = await openServices(t, {
    auth: { known_keys: ['AKIATEST0001'], denied: [{ action: 'RunInstances' }] },
  });
  await t.notThrowsAsync(ec2.send(look()));
  const denied = await refusal(ec2.send(launch()));
  t.is(denied.code, 'UnauthorizedOperation');
  t.regex(
    denied.message,
    /user\/simulated is not authorized to perform: ec2:RunInstances\. Encoded authorization failure message: \w+/,
  );
  // A missing permission shows in a dry run as well.
  t.is(await codeOf(ec2.send(launch({ DryRun: true }))), 'UnauthorizedOperation');
  await t.notThrowsAsync(groups.send(new DescribeAutoScalingGroupsCommand({})));
  await t.notThrowsAsync(sts.send(new GetCallerIdentityCommand({})));
});

test('a permission by a tag is denied for machines without the tag, and for those that do not exist', async (t) => {
  const { ec2 } = await openServices(t, { auth: { denied: [{ action: 'TerminateInstances', untagged: 'own' }] } });
  const tagged = { TagSpecifications: [{ ResourceType: 'instance' as const, Tags: [{ Key: 'own', Value: '1' }] }] };
  const idOf = async (input: object): Promise<string> =>
    (await ec2.send(launch(input))).Instances?.[0]?.InstanceId ?? '';
  const [own, other] = [await idOf(tagged), await idOf({})];
  const end = (...InstanceIds: string[]) => ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  t.is(await codeOf(end(other)), 'UnauthorizedOperation');
  t.is(await codeOf(end(own, other)), 'UnauthorizedOperation');
  t.is(await codeOf(end('i-00000000000000000')), 'UnauthorizedOperation');
  await t.notThrowsAsync(end(own));
});

test('GetCallerIdentity is allowed although every action is denied', async (t) => {
  const { ec2, sts, client } = await openServices(t, { auth: { denied: [{ action: '*', region: 'us-east-1' }] } });
  t.is(await codeOf(ec2.send(look())), 'UnauthorizedOperation');
  await t.notThrowsAsync(client({ region: 'eu-west-1' }).send(look()));
  await t.notThrowsAsync(sts.send(new GetCallerIdentityCommand({})));
});

test('credentials expire for the account and the time that the rule names', async (t) => {
  const { ec2, client, simulator } = await openServices(t, {
    auth: { expired: [{ account: 'AKIATEST0001', from_ms: 20_000, until_ms: 80_000 }] },
  });
  const outcomes = async () => {
    const calls = [ec2, client({ key: 'AKIATEST0002' })].map((from) => from.send(look()));
    return (await Promise.allSettled(calls)).map(({ status }) => status);
  };
  t.deepEqual(await outcomes(), ['fulfilled', 'fulfilled']);
  simulator.advance(20_000);
  t.deepEqual(await outcomes(), ['rejected', 'fulfilled']);
  simulator.advance(60_000);
  t.deepEqual(await outcomes(), ['fulfilled', 'fulfilled']);
});

test('a caller that is refused draws from no bucket, and throttled calls come before faults', async (t) => {
  const { ec2, simulator } = await openServices(t, {
    auth: { expired: [{}] },
    throttle: { next: [{ action: '*', times: 1 }] },
    faults: [{ action: '*', effect: 'skip', then: 'error', code: 'Unavailable' }],
  });
  t.is(await codeOf(ec2.send(look())), 'RequestExpired');
  simulator.setKnobs({ auth: { expired: [] } });
  t.is(await codeOf(ec2.send(look())), 'RequestLimitExceeded');
  t.is(await codeOf(ec2.send(look())), 'Unavailable');
  await t.notThrowsAsync(ec2.send(look()));
});

for (const skew of [minutes(6), minutes(-6), minutes(600)]) {
  test(`the SDK corrects a skew of ${skew / 60_000} minutes by the Date of the refusal, when it may try again`, async (t) => {
    const { ec2, simulator } = await openServices(t, { auth: { clock_skew_ms: skew } });
    const patient = new EC2Client({ endpoint: simulator.url, region: 'us-east-1', credentials, maxAttempts: 2 });
    t.teardown(() => patient.destroy());
    await t.notThrowsAsync(patient.send(look()));
    t.deepEqual(
      simulator.audit().map(({ code }) => code),
      ['RequestExpired', null],
    );
    // From there on the client knows; one that may not try again learns it for its next call.
    await t.notThrowsAsync(patient.send(look()));
    t.is(await codeOf(ec2.send(look())), 'RequestExpired');
    await t.notThrowsAsync(ec2.send(look()));
  });
}

test('a skew of less than five minutes is tolerated, and the Date shows it; without one the Date is the time of the cloud', async (t) => {
  const { ec2, simulator } = await openServices(t, { auth: { clock_skew_ms: minutes(4) } });
  await t.notThrowsAsync(ec2.send(look()));
  const dateOf = async () => Date.parse((await fetch(`${simulator.url}/?Action=X`)).headers.get('date') ?? '');
  t.true(Math.abs((await dateOf()) - Date.now() - minutes(4)) < 5000);
  simulator.setKnobs({ auth: { clock_skew_ms: 0 } });
  t.is(await dateOf(), simulator.clock.now());
});
