// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import {
  AutoScalingClient,
  CreateAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  SetDesiredCapacityCommand,
} from '@aws-sdk/client-auto-scaling';
import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeRegionsCommand,
  DescribeSpotFleetRequestsCommand,
  DescribeSpotInstanceRequestsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import test, { type ExecutionContext } from 'ava';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { createFleet, makeTemplate } from './instant-fleet-support.ts';
import { codeOf, launch, openCloud, refusal } from './support.ts';

const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };

test('the next calls of an action are throttled, and never executed', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { throttle: { next: [{ action: 'RunInstances', times: 2 }] } },
  });
  for (let call = 0; call < 2; call++) t.is(await codeOf(ec2.send(launch())), 'RequestLimitExceeded');
  t.is((await ec2.send(launch())).Instances?.length, 1);
  t.deepEqual(
    simulator.audit().map((entry) => [entry.executed, entry.code]),
    [
      [false, 'RequestLimitExceeded'],
      [false, 'RequestLimitExceeded'],
      [true, null],
    ],
  );
});

test('the default buckets let 5 RunInstances through and then 2 a second', async (t) => {
  const { ec2, simulator, client } = await openCloud(t, { knobs: { throttle: { default_buckets: true } } });
  const burst = async (calls: number) => {
    const results = await Promise.allSettled(Array.from({ length: calls }, () => ec2.send(launch())));
    return results.filter((result) => result.status === 'fulfilled').length;
  };
  t.is(await burst(8), 5);
  simulator.advance(1000);
  t.is(await burst(4), 2);
  t.is((await client({ key: 'AKIATEST0002' }).send(launch())).Instances?.length, 1);
});

test('the default buckets count machines too: 1000, then 2 a second', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { throttle: { default_buckets: true } } });
  await ec2.send(launch({ MinCount: 1000, MaxCount: 1000 }));
  t.is(await codeOf(ec2.send(launch())), 'RequestLimitExceeded');
  simulator.advance(1000);
  t.is((await ec2.send(launch({ MaxCount: 2 }))).Instances?.length, 2);
});

test('machines of fleets and groups draw from the same bucket, unless that is switched off', async (t) => {
  for (const [fleets_draw, machines] of [
    [true, 3],
    [false, 5],
  ] as const) {
    const buckets = { RunInstances: { resources: { capacity: 10, per_second: 0.001 } } };
    const { ec2, simulator } = await openCloud(t, {
      knobs: { throttle: { default_buckets: true, fleets_draw, buckets } },
    });
    await ec2.send(launch({ MinCount: 7, MaxCount: 7 }));
    const fleet = await createFleet(ec2, { units: 5 });
    t.is(fleet.Instances?.flatMap((one) => one.InstanceIds ?? []).length, machines);
    t.deepEqual(fleet.Errors?.map((one) => one.ErrorCode) ?? [], fleets_draw ? ['RequestLimitExceeded'] : []);
    const groups = autoScaling(t, simulator.url);
    const sizes = { MinSize: 0, MaxSize: 2, DesiredCapacity: 2, AvailabilityZones: ['us-east-1a'] };
    const LaunchTemplate = { LaunchTemplateId: await makeTemplate(ec2), Version: '1' };
    await groups.send(new CreateAutoScalingGroupCommand({ AutoScalingGroupName: 'one', ...sizes, LaunchTemplate }));
    simulator.advance(20_000);
    const { AutoScalingGroups } = await groups.send(new DescribeAutoScalingGroupsCommand({}));
    t.is(AutoScalingGroups?.[0]?.Instances?.length, fleets_draw ? 0 : 2);
  }
});

/** How many of `calls` equal calls get through. */
async function passed(calls: number, call: () => Promise<unknown>): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: calls }, call));
  return results.filter((result) => result.status === 'fulfilled').length;
}

function autoScaling(t: ExecutionContext, endpoint: string): AutoScalingClient {
  const client = new AutoScalingClient({ endpoint, region: 'us-east-1', maxAttempts: 1, credentials });
  t.teardown(() => client.destroy());
  return client;
}

const buckets: readonly [name: string, make: () => unknown, capacity: number, perSecond: number][] = [
  ['DescribeInstances of everything', () => new DescribeInstancesCommand({}), 50, 10],
  ['DescribeInstances by pages', () => new DescribeInstancesCommand({ MaxResults: 5 }), 100, 20],
  [
    'DescribeInstances by filter',
    () => new DescribeInstancesCommand({ Filters: [{ Name: 'instance-type', Values: ['x'] }] }),
    100,
    20,
  ],
  ['DescribeSpotInstanceRequests of everything', () => new DescribeSpotInstanceRequestsCommand({}), 50, 10],
  ['DescribeRegions, which has no smaller bucket', () => new DescribeRegionsCommand({}), 100, 20],
  ['DescribeSpotFleetRequests', () => new DescribeSpotFleetRequestsCommand({}), 50, 3],
];
for (const [name, make, capacity, perSecond] of buckets) {
  test(`default buckets: ${name} has ${capacity} calls and ${perSecond} a second`, async (t) => {
    const { ec2, simulator } = await openCloud(t, { knobs: { throttle: { default_buckets: true } } });
    const call = () => ec2.send(make() as DescribeInstancesCommand);
    t.is(await passed(capacity + 5, call), capacity);
    simulator.advance(1000);
    t.is(await passed(perSecond + 5, call), perSecond);
  });
}

test('without the knob nothing is throttled, and throttled calls are in the audit as not executed', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  t.is(await passed(60, () => ec2.send(new DescribeInstancesCommand({}))), 60);
  simulator.setKnobs({ throttle: { default_buckets: true } });
  t.is(await passed(60, () => ec2.send(new DescribeInstancesCommand({}))), 50);
  const refused = simulator.audit(60).filter((entry) => entry.code === 'RequestLimitExceeded');
  t.is(refused.length, 10);
  t.true(refused.every((entry) => !entry.executed && entry.answered));
});

test('whole lists and pages of one action, and two accounts and two regions, draw from buckets of their own', async (t) => {
  const { ec2, client } = await openCloud(t, { knobs: { throttle: { default_buckets: true } } });
  const whole = (from = ec2) => from.send(new DescribeInstancesCommand({}));
  t.is(await passed(51, whole), 50);
  t.is(await passed(1, () => ec2.send(new DescribeInstancesCommand({ MaxResults: 5 }))), 1);
  t.is(await passed(1, () => whole(client({ region: 'eu-west-1' }))), 1);
  t.is(await passed(1, () => whole(client({ key: 'AKIATEST0002' }))), 1);
  t.is(await passed(1, whole), 0);
});

test('sizes of requests and machines can be set by action, and a bucket that changes is full', async (t) => {
  const knobs: KnobChange = {
    throttle: {
      default_buckets: true,
      buckets: {
        RunInstances: { requests: { capacity: 9, per_second: 1 }, resources: { capacity: 3, per_second: 1 } },
        CreateTags: { requests: { capacity: 1, per_second: 1 } },
      },
    },
  };
  const { ec2, simulator } = await openCloud(t, { knobs });
  t.is(await passed(9, () => ec2.send(launch())), 3);
  t.deepEqual(await refusal(ec2.send(launch())), {
    code: 'RequestLimitExceeded',
    status: 503,
    message: 'Request limit exceeded.',
  });
  simulator.setKnobs({ throttle: { buckets: { RunInstances: { resources: { capacity: 4, per_second: 1 } } } } });
  t.is(await passed(6, () => ec2.send(launch())), 4);
  const id = simulator.ledger().untagged[0] ?? '';
  t.is(
    await passed(2, () => ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: 'b' }] }))),
    1,
  );
  // Another account has the same sizes and buckets of its own; without default_buckets they do not count.
  simulator.setKnobs({ throttle: { default_buckets: false } });
  t.is(await passed(6, () => ec2.send(launch())), 6);
});

test('all actions of Auto Scaling share one bucket, and it says Throttling with status 400', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: {
      throttle: { default_buckets: true, buckets: { autoscaling: { requests: { capacity: 3, per_second: 1 } } } },
    },
  });
  const groups = autoScaling(t, simulator.url);
  t.is(await passed(2, () => groups.send(new DescribeAutoScalingGroupsCommand({}))), 2);
  const setting = () => groups.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'g', DesiredCapacity: 1 }));
  t.is(await codeOf(setting()), 'ValidationError');
  t.deepEqual(await refusal(setting()), { code: 'Throttling', status: 400, message: 'Rate exceeded' });
  t.is(await passed(1, () => ec2.send(new DescribeInstancesCommand({}))), 1);
  simulator.setKnobs({
    throttle: { default_buckets: false, next: [{ action: 'DescribeAutoScalingGroups', times: 1 }] },
  });
  t.is(await codeOf(groups.send(new DescribeAutoScalingGroupsCommand({}))), 'Throttling');
  simulator.setKnobs({
    faults: [{ action: '*', times: null, effect: 'skip', then: 'error', code: 'RequestLimitExceeded' }],
  });
  t.is(await codeOf(groups.send(new DescribeAutoScalingGroupsCommand({}))), 'Throttling');
  t.is(await codeOf(ec2.send(new DescribeInstancesCommand({}))), 'RequestLimitExceeded');
});

test('the default bucket of Auto Scaling has 100 calls and 5 a second; that of STS says Throttling too', async (t) => {
  const { simulator } = await openCloud(t, {
    knobs: { throttle: { default_buckets: true, buckets: { sts: { requests: { capacity: 1, per_second: 1 } } } } },
  });
  const groups = autoScaling(t, simulator.url);
  const look = () => groups.send(new DescribeAutoScalingGroupsCommand({}));
  t.is(await passed(110, look), 100);
  simulator.advance(1000);
  t.is(await passed(10, look), 5);
  const sts = new STSClient({ endpoint: simulator.url, region: 'us-east-1', maxAttempts: 1, credentials });
  t.teardown(() => sts.destroy());
  await sts.send(new GetCallerIdentityCommand({}));
  t.is(await codeOf(sts.send(new GetCallerIdentityCommand({}))), 'Throttling');
});

test('`next` throttles only the account, region and time that it names', async (t) => {
  const { ec2, client, simulator } = await openCloud(t, {
    knobs: {
      throttle: {
        next: [{ action: '*', times: 1, account: 'AKIATEST0002', region: 'us-east-1', from_ms: 1000, until_ms: 2000 }],
      },
    },
  });
  const other = client({ key: 'AKIATEST0002' });
  const look = (from: EC2Client) => passed(1, () => from.send(new DescribeInstancesCommand({})));
  t.is(await look(other), 1);
  simulator.advance(1000);
  t.deepEqual([await look(ec2), await look(client({ key: 'AKIATEST0002', region: 'eu-west-1' }))], [1, 1]);
  t.deepEqual([await look(other), await look(other)], [0, 1]);
});

const repeated: readonly [code: string, knobs: KnobChange][] = [
  ['InsufficientInstanceCapacity', { capacity: [{ count: 0 }] }],
  ['RequestLimitExceeded', { throttle: { next: [{ action: 'RunInstances', times: 9 }] } }],
];
for (const [code, knobs] of repeated) {
  test(`the SDK sends a launch that meets ${code} three times by default, and once with maxAttempts 1`, async (t) => {
    const { ec2, simulator } = await openCloud(t, { knobs });
    const eager = new EC2Client({ endpoint: simulator.url, region: 'us-east-1', credentials });
    t.teardown(() => eager.destroy());
    t.is(await codeOf(eager.send(launch())), code);
    t.deepEqual(
      simulator.audit().map((entry) => entry.code),
      [code, code, code],
    );
    // All attempts of one call carry the token that the SDK made for it.
    t.is(new Set(simulator.audit().map((entry) => entry.token)).size, 1);
    t.is(await codeOf(ec2.send(launch())), code);
    t.is(simulator.audit(3).length, 1);
  });
}
