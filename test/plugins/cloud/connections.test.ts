import test from 'ava';
import type { Log, ProviderFault } from '../../../core/index.ts';
import { createSimulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { cloud, type CloudSession } from '../../../plugins/cloud/index.ts';
import { callsAws, endpointOf } from '../../../plugins/cloud/connection/endpoints.ts';
import { settingsOf } from '../../../plugins/cloud/config.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { contextOf, quietCall, stage } from './support.ts';

const keys = { access_key_id: 'AKIATEST000000000000', secret_access_key: 'a-secret-that-nobody-sees' };
const describe = (session: CloudSession) =>
  session.read((ec2) => new ec2.DescribeRegionsCommand({}), quietCall()).catch((error: ProviderFault) => error.code);

/** A log that keeps its lines. */
function keptLog(): { readonly log: Log; readonly lines: { fields: any; text: string }[] } {
  const lines: { fields: any; text: string }[] = [];
  const add = (fields: object, text: string) => void lines.push({ fields, text });
  const log = { debug: () => {}, info: add, warn: add, error: add } as unknown as Log;
  return { log, lines };
}

test('two instances of one account and region share a rate bucket; each other account or region has its own', async (t) => {
  const clock = new FakeClock();
  const simulator = createSimulator();
  const endpoint_url = await simulator.listen();
  const rate_limits = { enabled: true, buckets: { DescribeRegions: { requests: { capacity: 2, per_second: 0.01 } } } };
  const open = async (instance: string, config: object = {}) => {
    const session = await cloud.connect(
      { endpoint_url, ...keys, rate_limits, ...config },
      contextOf({ instance, clock }),
    );
    await cloud.identity?.(session, quietCall());
    return session;
  };
  const [east, also] = [await open('east'), await open('also')];
  t.not(await describe(east), 'OwnRateLimit');
  t.not(await describe(also), 'OwnRateLimit');
  t.is(await describe(east), 'OwnRateLimit');
  t.is(await describe(also), 'OwnRateLimit');
  const west = await open('west', { region: 'us-west-2' });
  const other = await open('other', { access_key_id: 'AKIAOTHER00000000000' });
  t.not(await describe(west), 'OwnRateLimit');
  t.not(await describe(other), 'OwnRateLimit');

  // A session that is opened again finds the bucket as the others left it; after the last one it is forgotten.
  await cloud.close?.(east);
  const again = await open('east');
  t.is(await describe(again), 'OwnRateLimit');
  for (const each of [also, again]) await cloud.close?.(each);
  const fresh = await open('east');
  t.not(await describe(fresh), 'OwnRateLimit');
  for (const each of [west, other, fresh]) await cloud.close?.(each);
  await simulator.close();
});

test('a warning names the sizes that count when instances share a bucket and configure different sizes', async (t) => {
  const { log, lines } = keptLog();
  const clock = new FakeClock();
  const simulator = createSimulator();
  const endpoint_url = await simulator.listen();
  for (const [instance, capacity] of [
    ['east', 5],
    ['also', 6],
  ] as const) {
    const rate_limits = { enabled: true, buckets: { RunInstances: { requests: { capacity, per_second: 1 } } } };
    const session = await cloud.connect({ endpoint_url, ...keys, rate_limits }, contextOf({ instance, clock, log }));
    await cloud.identity?.(session, quietCall());
    t.teardown(async () => cloud.close?.(session));
  }
  t.teardown(() => simulator.close());
  t.is(lines.length, 1);
  t.regex(lines[0]?.text ?? '', /'also' and 'east' .* rate_limits\.buckets of 'east' count for both/);
});

for (const [region, partition] of [
  ['us-east-1', 'aws'],
  ['cn-north-1', 'aws-cn'],
  ['us-gov-west-1', 'aws-us-gov'],
  ['us-iso-east-1', 'aws-iso'],
  ['us-isob-east-1', 'aws-iso-b'],
  ['us-isof-south-1', 'aws-iso-f'],
  ['eu-isoe-west-1', 'aws-iso-e'],
  ['eusc-de-east-1', 'aws-eusc'],
] as const)
  test(`the partition of ${region} comes from the ARN of the caller: ${partition}`, async (t) => {
    const there = await stage({ region });
    t.teardown(there.close);
    t.is(await there.session.partition(there.call), partition);
    t.is(there.calls('GetCallerIdentity'), 1);
  });

test('each service has its own endpoint, and an endpoint of EC2 gets no calls of other services', async (t) => {
  const simulators = ['ec2', 'autoscaling', 'sts', 'ssm'].map(() => createSimulator());
  const urls = await Promise.all(simulators.map((each) => each.listen()));
  const [ec2 = '', autoscaling = '', sts = '', ssm = ''] = urls;
  const session = await cloud.connect({ ...keys, endpoints: { ec2, autoscaling, sts, ssm } }, contextOf());
  t.teardown(async () => {
    await cloud.close?.(session);
    await Promise.all(simulators.map((each) => each.close()));
  });
  await cloud.identity?.(session, quietCall());
  await cloud.check?.(session, quietCall());
  await session.groups.read((sdk) => new sdk.DescribeAutoScalingGroupsCommand({}), quietCall());
  await session.parameters.read((sdk) => new sdk.GetParameterCommand({ Name: '/a' }), quietCall());
  t.deepEqual(
    simulators.map((each) => each.audit().map(({ action }) => action)),
    [['DescribeAvailabilityZones'], ['DescribeAutoScalingGroups'], ['GetCallerIdentity'], ['GetParameter']],
  );
});

test('an endpoint with the label ec2 gets calls of EC2 only, and a named endpoint replaces it', (t) => {
  const of = (config: object, service: 'ec2' | 'sts' | 'autoscaling') => endpointOf(settingsOf(config), service);
  for (const host of [
    'ec2.us-east-1.amazonaws.com',
    'ec2.us-east-1.api.aws',
    'vpce-1-a.ec2.us-east-1.vpce.amazonaws.com',
    'ec2.cn-north-1.amazonaws.com.cn',
    'ec2-fips.us-east-1.amazonaws.com',
    'ec2-fips.us-east-1.api.aws',
    'vpce-1-a.ec2-fips.us-east-1.vpce.amazonaws.com',
    'ec2.us-iso-east-1.c2s.ic.gov',
    'ec2.example.com',
  ]) {
    const endpoint_url = `https://${host}`;
    t.is(of({ endpoint_url }, 'ec2'), endpoint_url);
    t.is(of({ endpoint_url }, 'sts'), undefined);
    t.is(of({ endpoint_url, endpoints: { autoscaling: 'https://a' } }, 'autoscaling'), 'https://a');
    t.is(callsAws(settingsOf({ endpoint_url })), host !== 'ec2.example.com');
  }
  t.is(of({ endpoint_url: 'http://127.0.0.1:5000' }, 'sts'), 'http://127.0.0.1:5000');
  t.is(of({ endpoint_url: 'simulator:' }, 'sts'), 'simulator:');
  t.true(callsAws(settingsOf({})));
  t.false(callsAws(settingsOf({ endpoint_url: 'simulator:' })));
});

const role_arn = 'arn:aws:iam::210987654321:role/broker';

test('AssumeRole gets the configured external id, session name and duration', async (t) => {
  const knobs = { auth: { roles: [{ arn: role_arn, external_id: 'customer-7', max_session_s: 7200 }] } };
  const open = async (config: object) => {
    const there = await stage({ role_arn, ...config }, {}, { knobs });
    t.teardown(there.close);
    return there;
  };
  const options = { role_external_id: 'customer-7', role_session_name: 'cluster-1', role_duration: 7200 };
  const there = await open(options);
  t.is(await there.session.account(there.call), '210987654321');

  const refused = async (config: object) => {
    const { session, call } = await open(config);
    return session.account(call).then(
      () => undefined,
      ({ kind, message }: ProviderFault) => `${kind} ${message}`,
    );
  };
  for (const role_external_id of [null, 'customer-8'])
    t.regex((await refused({ ...options, role_external_id })) ?? '', /^credentials .*role_external_id/);
  t.regex((await refused({ ...options, role_duration: 10_800 })) ?? '', /^credentials .*role_duration/);
});

test('an encoded authorization message is logged once in full, and no fault contains it', async (t) => {
  const { log, lines } = keptLog();
  const there = await stage({}, { log }, { knobs: { auth: { denied: [{ action: 'RunInstances' }] } } });
  t.teardown(there.close);
  const run = () =>
    there.session.write(
      (ec2) => new ec2.RunInstancesCommand({ MinCount: 1, MaxCount: 1, ImageId: 'ami-1' }),
      there.call,
    );
  for (let i = 0; i < 2; i++) {
    const fault = await t.throwsAsync<ProviderFault>(run());
    t.is(fault?.kind, 'invalid');
    t.notRegex(fault?.message ?? '', /Encoded/);
  }
  t.is(lines.length, 1);
  t.like(lines[0]?.fields, { provider_instance: 'east', action: 'RunInstances' });
  t.regex(Buffer.from(lines[0]?.fields.encoded_message, 'base64url').toString(), /ec2:RunInstances$/);
  t.regex(lines[0]?.text ?? '', /aws sts decode-authorization-message/);
});
