import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  DescribeInstanceStatusCommand,
  DescribeTagsCommand,
  type EC2Client,
  paginateDescribeInstances,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

const tagged = (value: string) => ({
  TagSpecifications: [{ ResourceType: 'instance' as const, Tags: [{ Key: 'muster:request-id', Value: value }] }],
});

test('filters narrow by tag, state, zone, type, lifecycle and wildcards', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const a = idsOf(await ec2.send(launch({ ...tagged('req-a'), Placement: { AvailabilityZone: 'us-east-1a' } })));
  const b = idsOf(
    await ec2.send(
      launch({ ...tagged('req-b'), InstanceType: 'm5.large', InstanceMarketOptions: { MarketType: 'spot' } }),
    ),
  );
  const c = idsOf(await ec2.send(launch({ Placement: { AvailabilityZone: 'us-east-1b' } })));
  simulator.advance(2000);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: c }));
  const find = (...filters: [name: string, ...values: string[]][]) =>
    list(ec2, { Filters: filters.map(([Name, ...Values]) => ({ Name, Values })) });
  t.deepEqual(await find(['tag:muster:request-id', 'req-a', 'req-x']), a);
  t.deepEqual(await find(['tag:muster:request-id', 'req-*']), [...a, ...b]);
  t.deepEqual(await find(['tag-key', 'muster:request-id']), [...a, ...b]);
  t.deepEqual(await find(['instance-state-name', 'shutting-down']), c);
  t.deepEqual(await find(['instance-lifecycle', 'spot']), b);
  t.deepEqual(await find(['instance-type', 'm5.*'], ['tag-key', 'muster:request-id']), b);
  t.deepEqual(await find(['availability-zone', 'us-east-1a']), a);
  t.deepEqual(await find(['instance-id', ...a, 'i-00000000000000000'], ['instance-state-name', 'running']), a);
  t.deepEqual(await find(['tag:muster:request-id', 'req-?'], ['instance-id', ...c]), []);
});

test('unknown filters, too many filters and too many values are refused', async (t) => {
  const { ec2 } = await openCloud(t);
  const many = Array.from({ length: 201 }, (_, n) => `v${n}`);
  t.is(await codeOf(list(ec2, { Filters: [{ Name: 'colour', Values: ['red'] }] })), 'InvalidParameterValue');
  t.is(await codeOf(list(ec2, { Filters: [{ Name: 'instance-id', Values: many }] })), 'FilterLimitExceeded');
  t.is(
    await codeOf(list(ec2, { Filters: many.slice(0, 51).map((Name) => ({ Name: `tag:${Name}`, Values: ['x'] })) })),
    'FilterLimitExceeded',
  );
});

test('ids of a wrong form and unknown ids are told apart', async (t) => {
  const { ec2 } = await openCloud(t);
  t.is(await codeOf(list(ec2, { InstanceIds: ['zzz'] })), 'InvalidInstanceID.Malformed');
  t.is(await codeOf(list(ec2, { InstanceIds: ['i-00000000000000000'] })), 'InvalidInstanceID.NotFound');
});

test('MaxResults has bounds and cannot be combined with ids', async (t) => {
  const { ec2 } = await openCloud(t);
  t.is(await codeOf(list(ec2, { MaxResults: 4 })), 'InvalidParameterValue');
  t.is(await codeOf(list(ec2, { MaxResults: 1001 })), 'InvalidParameterValue');
  t.is(
    await codeOf(list(ec2, { MaxResults: 5, InstanceIds: ['i-00000000000000000'] })),
    'InvalidParameterCombination',
  );
});

test('pages are cut by machines, in order, and machines launched meanwhile come at the end', async (t) => {
  const { ec2 } = await openCloud(t);
  const ids = [...idsOf(await ec2.send(launch({ MaxCount: 7 }))), ...idsOf(await ec2.send(launch({ MaxCount: 6 })))];
  const seen: string[] = [];
  const sizes: number[] = [];
  for await (const page of paginateDescribeInstances({ client: ec2, pageSize: 5 }, {})) {
    const onPage = page.Reservations?.flatMap((r) => r.Instances?.map((one) => one.InstanceId ?? '') ?? []) ?? [];
    if (seen.length === 0) ids.push(...idsOf(await ec2.send(launch())));
    seen.push(...onPage);
    sizes.push(onPage.length);
  }
  t.deepEqual(seen, ids);
  t.deepEqual(sizes, [5, 5, 4]);
});

test('a list without a page size comes in pages of 1000', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(launch({ MaxCount: 1001 }));
  const page = await ec2.send(new DescribeInstancesCommand({}));
  t.is(page.Reservations?.[0]?.Instances?.length, 1000);
  t.truthy(page.NextToken);
});

test('a token of another listing is refused', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(launch({ MaxCount: 6 }));
  const { NextToken } = await ec2.send(new DescribeInstancesCommand({ MaxResults: 5 }));
  const other = new DescribeInstancesCommand({
    MaxResults: 5,
    NextToken,
    Filters: [{ Name: 'instance-type', Values: ['t3.micro'] }],
  });
  t.is(await codeOf(ec2.send(other)), 'InvalidPaginationToken');
  t.is(await codeOf(ec2.send(new DescribeInstancesCommand({ NextToken: 'rubbish' }))), 'InvalidPaginationToken');
});

test('new machines are invisible by id, by filter and by tag for as long as the knob says', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { visible_ms: { id: 1000, filter: 2000, tag: 3000 } } });
  const ids = idsOf(await ec2.send(launch(tagged('req-a'))));
  const byId = () => list(ec2, { InstanceIds: ids });
  const byFilter = () => list(ec2, { Filters: [{ Name: 'instance-id', Values: ids }] });
  const byTag = () => list(ec2, { Filters: [{ Name: 'tag:muster:request-id', Values: ['req-a'] }] });
  t.is(await codeOf(byId()), 'InvalidInstanceID.NotFound');
  t.is(await codeOf(ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }))), 'InvalidInstanceID.NotFound');
  t.deepEqual(await byFilter(), []);
  simulator.advance(1000);
  t.deepEqual([await byId(), await byFilter(), await byTag()], [ids, [], []]);
  simulator.advance(1000);
  t.deepEqual([await byFilter(), await byTag()], [ids, []]);
  simulator.advance(1000);
  t.deepEqual(await byTag(), ids);
});

test('DescribeInstanceStatus shows the running machines, and all when told to', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const old = idsOf(await ec2.send(launch()));
  simulator.advance(2000);
  const young = idsOf(await ec2.send(launch()));
  const running = await ec2.send(new DescribeInstanceStatusCommand({}));
  t.deepEqual(
    running.InstanceStatuses?.map((one) => [one.InstanceId, one.InstanceStatus?.Status]),
    [[old[0], 'ok']],
  );
  const all = await ec2.send(new DescribeInstanceStatusCommand({ IncludeAllInstances: true }));
  t.deepEqual(
    all.InstanceStatuses?.map((one) => one.InstanceId),
    [...old, ...young],
  );
  const many = Array.from({ length: 101 }, (_, n) => `i-${String(n).padStart(17, '0')}`);
  t.is(await codeOf(ec2.send(new DescribeInstanceStatusCommand({ InstanceIds: many }))), 'InvalidParameterValue');
});

test('CreateTags tags all named resources or none, and tags can be found and listed', async (t) => {
  const { ec2 } = await openCloud(t);
  const ids = idsOf(await ec2.send(launch({ MaxCount: 2, ...tagged('req-a') })));
  const Tags = [{ Key: 'muster:request-id', Value: 'req-b' }];
  t.is(
    await codeOf(ec2.send(new CreateTagsCommand({ Resources: [...ids, 'i-00000000000000000'], Tags }))),
    'InvalidInstanceID.NotFound',
  );
  t.is(
    await codeOf(ec2.send(new CreateTagsCommand({ Resources: ids, Tags: [{ Key: 'aws:x', Value: '' }] }))),
    'InvalidParameterValue',
  );
  await ec2.send(new CreateTagsCommand({ Resources: ids.slice(0, 1), Tags }));
  t.deepEqual(await list(ec2, { Filters: [{ Name: 'tag:muster:request-id', Values: ['req-b'] }] }), ids.slice(0, 1));
  t.deepEqual(await list(ec2, { Filters: [{ Name: 'tag:muster:request-id', Values: ['req-a'] }] }), ids.slice(1));
  const rows = await ec2.send(new DescribeTagsCommand({ Filters: [{ Name: 'resource-type', Values: ['instance'] }] }));
  t.deepEqual(
    rows.Tags?.map((row) => [row.ResourceId, row.ResourceType, row.Key, row.Value]),
    [
      [ids[0], 'instance', 'muster:request-id', 'req-b'],
      [ids[1], 'instance', 'muster:request-id', 'req-a'],
    ],
  );
});

function idsOf(result: { Instances?: { InstanceId?: string | undefined }[] | undefined }): string[] {
  return result.Instances?.map((one) => one.InstanceId ?? '') ?? [];
}

async function list(ec2: EC2Client, input: DescribeInstancesCommandInput): Promise<string[]> {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand(input));
  return Reservations?.flatMap((reservation) => idsOf(reservation)) ?? [];
}
