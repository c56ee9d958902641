import {
  DescribeSpotInstanceRequestsCommand,
  type DescribeSpotInstanceRequestsCommandInput,
  DescribeTagsCommand,
  type EC2Client,
  paginateDescribeSpotInstanceRequests,
  type RunInstancesCommandInput,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

const spot = { InstanceMarketOptions: { MarketType: 'spot' as const, SpotOptions: { MaxPrice: '0.5' } } };

test('a Spot machine has an active, fulfilled request; an On-Demand machine has none', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(launch());
  const [machine] = await start(ec2, {
    ...spot,
    KeyName: 'key',
    SubnetId: 'subnet-1',
    TagSpecifications: [
      { ResourceType: 'spot-instances-request', Tags: [{ Key: 'of', Value: 'request' }] },
      { ResourceType: 'instance', Tags: [{ Key: 'of', Value: 'machine' }] },
    ],
  });
  const requests = await list(ec2);
  t.is(requests.length, 1);
  t.like(requests[0], {
    SpotInstanceRequestId: machine?.SpotInstanceRequestId,
    InstanceId: machine?.InstanceId,
    State: 'active',
    Type: 'one-time',
    SpotPrice: '0.500000',
    ProductDescription: 'Linux/UNIX',
    LaunchedAvailabilityZone: machine?.Placement?.AvailabilityZone,
    InstanceInterruptionBehavior: 'terminate',
  });
  t.like(requests[0]?.Status, { Code: 'fulfilled', UpdateTime: machine?.LaunchTime });
  t.like(requests[0]?.LaunchSpecification, {
    ImageId: 'ami-1',
    InstanceType: 't3.micro',
    KeyName: 'key',
    SubnetId: 'subnet-1',
  });
  t.deepEqual(requests[0]?.Tags, [{ Key: 'of', Value: 'request' }]);
  t.deepEqual(machine?.Tags, [{ Key: 'of', Value: 'machine' }]);
  const rows = await ec2.send(
    new DescribeTagsCommand({ Filters: [{ Name: 'resource-type', Values: ['spot-instances-request'] }] }),
  );
  t.deepEqual(
    rows.Tags?.map((row) => [row.ResourceId, row.Value]),
    [[machine?.SpotInstanceRequestId, 'request']],
  );
});

test('a request is closed when its owner ends the machine, and its machine shows it for an hour', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const [machine] = await start(ec2, spot);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [machine?.InstanceId ?? ''] }));
  t.like((await list(ec2))[0], { State: 'closed' });
  t.is((await list(ec2))[0]?.Status?.Code, 'instance-terminated-by-user');
  simulator.advance(3_602_000);
  t.deepEqual(await list(ec2), []);
});

test('a machine that failed after it was accepted cancels its request', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { late_failures: [{}] } });
  await start(ec2, spot);
  simulator.advance(5000);
  t.like((await list(ec2))[0], { State: 'cancelled' });
  t.is((await list(ec2))[0]?.Status?.Code, 'instance-terminated-by-service');
});

test('requests are found by id and by filters', async (t) => {
  const { ec2 } = await openCloud(t);
  const [a] = await start(ec2, { ...spot, Placement: { AvailabilityZone: 'us-east-1a' } });
  const [b] = await start(ec2, {
    ...spot,
    InstanceType: 'm5.large',
    Placement: { AvailabilityZone: 'us-east-1b' },
    TagSpecifications: [{ ResourceType: 'spot-instances-request', Tags: [{ Key: 'k', Value: 'v' }] }],
  });
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [a?.InstanceId ?? ''] }));
  const find = async (input: DescribeSpotInstanceRequestsCommandInput) =>
    (await list(ec2, input)).map((one) => one.InstanceId);
  const by = (Name: string, ...Values: string[]) => find({ Filters: [{ Name, Values }] });
  t.deepEqual(await find({ SpotInstanceRequestIds: [b?.SpotInstanceRequestId ?? ''] }), [b?.InstanceId]);
  t.deepEqual(await by('instance-id', b?.InstanceId ?? ''), [b?.InstanceId]);
  t.deepEqual(await by('spot-instance-request-id', a?.SpotInstanceRequestId ?? ''), [a?.InstanceId]);
  t.deepEqual(await by('state', 'active'), [b?.InstanceId]);
  t.deepEqual(await by('status-code', 'instance-terminated-*'), [a?.InstanceId]);
  t.deepEqual(await by('launched-availability-zone', 'us-east-1b'), [b?.InstanceId]);
  t.deepEqual(await by('launch.instance-type', 't3.micro'), [a?.InstanceId]);
  t.deepEqual(await by('type', 'persistent'), []);
  t.deepEqual(await by('tag:k', 'v'), [b?.InstanceId]);
  t.deepEqual(await by('tag-key', 'k'), [b?.InstanceId]);
  t.is(await codeOf(by('colour', 'red')), 'InvalidParameterValue');
});

test('unknown and malformed ids are told apart, and ids are not combined with a page size', async (t) => {
  const { ec2 } = await openCloud(t);
  const ask = (...SpotInstanceRequestIds: string[]) => codeOf(list(ec2, { SpotInstanceRequestIds }));
  t.is(await ask('sir-00000000'), 'InvalidSpotInstanceRequestID.NotFound');
  t.is(await ask('sir-1'), 'InvalidSpotInstanceRequestID.Malformed');
  t.is(
    await codeOf(list(ec2, { SpotInstanceRequestIds: ['sir-00000000'], MaxResults: 5 })),
    'InvalidParameterCombination',
  );
  t.is(await codeOf(list(ec2, { MaxResults: 4 })), 'InvalidParameterValue');
});

test('a young request is not found by its id', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { visible_ms: { id: 1000 } } });
  const [machine] = await start(ec2, spot);
  const ask = () => list(ec2, { SpotInstanceRequestIds: [machine?.SpotInstanceRequestId ?? ''] });
  t.is(await codeOf(ask()), 'InvalidSpotInstanceRequestID.NotFound');
  simulator.advance(1000);
  t.is((await ask()).length, 1);
});

test('requests are listed in pages', async (t) => {
  const { ec2 } = await openCloud(t);
  await start(ec2, { ...spot, MaxCount: 12 });
  const sizes: (number | undefined)[] = [];
  const ids = new Set<string | undefined>();
  for await (const page of paginateDescribeSpotInstanceRequests({ client: ec2, pageSize: 5 }, {})) {
    sizes.push(page.SpotInstanceRequests?.length);
    for (const one of page.SpotInstanceRequests ?? []) ids.add(one.SpotInstanceRequestId);
  }
  t.deepEqual(sizes, [5, 5, 2]);
  t.is(ids.size, 12);
});

async function start(ec2: EC2Client, input: Partial<RunInstancesCommandInput>) {
  return (await ec2.send(launch(input))).Instances ?? [];
}

async function list(ec2: EC2Client, input: DescribeSpotInstanceRequestsCommandInput = {}) {
  return (await ec2.send(new DescribeSpotInstanceRequestsCommand(input))).SpotInstanceRequests ?? [];
}
