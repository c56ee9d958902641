import {
  CreateOrUpdateTagsCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeScalingActivitiesCommand,
  DescribeTagsCommand,
  paginateDescribeAutoScalingGroups,
  paginateDescribeAutoScalingInstances,
  paginateDescribeScalingActivities,
  SetDesiredCapacityCommand,
  SuspendProcessesCommand,
} from '@aws-sdk/client-auto-scaling';
import test from 'ava';
import { openGroups, tally } from './groups-support.ts';
import { codeOf, refusal } from './support.ts';

test('groups come in pages, in order of creation, and none twice while others go', async (t) => {
  const { autoScaling, create } = await openGroups(t);
  for (let index = 0; index < 7; index++) await create(`web-${index}`);
  const names: (string | undefined)[] = [];
  for await (const page of paginateDescribeAutoScalingGroups({ client: autoScaling, pageSize: 3 }, {})) {
    names.push(...(page.AutoScalingGroups ?? []).map((group) => group.AutoScalingGroupName));
    if (names.length === 3) {
      await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'web-0' }));
    }
  }
  t.deepEqual(names, ['web-0', 'web-1', 'web-2', 'web-3', 'web-4', 'web-5', 'web-6']);
});

test('fifty groups come at a time unless more are asked for, and never more than a hundred', async (t) => {
  const { autoScaling, create } = await openGroups(t);
  for (let index = 0; index < 51; index++) await create(`web-${index}`);
  const list = async (MaxRecords?: number) => autoScaling.send(new DescribeAutoScalingGroupsCommand({ MaxRecords }));
  const first = await list();
  t.is(first.AutoScalingGroups?.length, 50);
  const next = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ NextToken: first.NextToken }));
  t.is(next.AutoScalingGroups?.length, 1);
  t.is(next.NextToken, undefined);
  t.is((await list(100)).AutoScalingGroups?.length, 51);
  t.is(await codeOf(list(101)), 'ValidationError');
  t.is(await codeOf(list(0)), 'ValidationError');
  t.like(await refusal(autoScaling.send(new DescribeAutoScalingGroupsCommand({ NextToken: 'nonsense' }))), {
    code: 'InvalidNextToken',
    status: 400,
  });
  // A token belongs to its listing.
  t.is(
    await codeOf(autoScaling.send(new DescribeAutoScalingInstancesCommand({ NextToken: first.NextToken }))),
    'InvalidNextToken',
  );
});

test('machines of all groups come in pages, or by at most fifty ids', async (t) => {
  const { autoScaling, create, ids, settle } = await openGroups(t);
  await create('one', { DesiredCapacity: 4 });
  await create('two', { DesiredCapacity: 3 });
  settle();
  const seen: (string | undefined)[] = [];
  for await (const page of paginateDescribeAutoScalingInstances({ client: autoScaling, pageSize: 2 }, {}))
    seen.push(...(page.AutoScalingInstances ?? []).map((one) => one.InstanceId));
  t.deepEqual(seen.toSorted(), [...(await ids('one')), ...(await ids('two'))].toSorted());
  const describe = (InstanceIds: string[]) =>
    autoScaling.send(new DescribeAutoScalingInstancesCommand({ InstanceIds }));
  const [known] = (await ids('two')) as [string];
  t.deepEqual(
    (await describe([known, 'i-0123456789abcdef0'])).AutoScalingInstances?.map((one) => one.AutoScalingGroupName),
    ['two'],
  );
  t.is(await codeOf(describe(Array.from({ length: 51 }, (_, index) => `i-${index}`))), 'ValidationError');
});

test('activities are listed newest first in pages, also those of deleted groups on request', async (t) => {
  const { autoScaling, create, settle } = await openGroups(t);
  await create('web', { DesiredCapacity: 5 });
  settle();
  const all: { at: number; id: string | undefined }[] = [];
  for await (const page of paginateDescribeScalingActivities(
    { client: autoScaling, pageSize: 2 },
    { AutoScalingGroupName: 'web' },
  )) {
    all.push(...(page.Activities ?? []).map((one) => ({ at: Number(one.StartTime), id: one.ActivityId })));
    if (all.length === 2) {
      await autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity: 6 }));
      settle();
    }
  }
  t.is(all.length, 5);
  t.is(new Set(all.map((one) => one.id)).size, 5);
  t.deepEqual(
    all,
    all.toSorted((a, b) => b.at - a.at),
  );
  const byId = await autoScaling.send(new DescribeScalingActivitiesCommand({ ActivityIds: [all[0]?.id ?? ''] }));
  t.is(byId.Activities?.length, 1);

  await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'web', ForceDelete: true }));
  settle();
  const read = (IncludeDeletedGroups: boolean) =>
    autoScaling.send(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'web', IncludeDeletedGroups }));
  t.is(await codeOf(read(false)), 'ValidationError');
  const { Activities } = await read(true);
  t.is(Activities?.length, 12);
  t.deepEqual(tally(Activities?.map((one) => one.AutoScalingGroupState) ?? []), { Deleted: 12 });
  t.deepEqual((await autoScaling.send(new DescribeScalingActivitiesCommand({}))).Activities, []);
});

test('activities of launches run from start to service', async (t) => {
  const { activities, create, simulator } = await openGroups(t);
  await create('web', { DesiredCapacity: 1 });
  simulator.advance(1000);
  t.like((await activities('web'))[0], { StatusCode: 'InProgress', EndTime: undefined });
  simulator.advance(2000);
  const [done] = await activities('web');
  t.like(done, { StatusCode: 'Successful', Progress: 100 });
  t.is(Number(done?.EndTime) - Number(done?.StartTime), 2000);
});

test('machines get the tags of their group that propagate, over those of the template, and those of Auto Scaling', async (t) => {
  const { autoScaling, create, live, settle, simulator, template } = await openGroups(t);
  const Tags = [
    { Key: 'muster:request-id', Value: 'template' },
    { Key: 'from', Value: 'template' },
  ];
  await template('tagged', {
    ImageId: 'ami-1',
    InstanceType: 't3.micro',
    TagSpecifications: [{ ResourceType: 'instance', Tags }],
  });
  await create('web', {
    DesiredCapacity: 1,
    LaunchTemplate: { LaunchTemplateName: 'tagged', Version: '1' },
    Tags: [
      { Key: 'muster:request-id', Value: 'req-1', PropagateAtLaunch: true },
      { Key: 'own', Value: 'group', PropagateAtLaunch: false },
    ],
  });
  settle();
  const [id, machine] = [...(await live())][0] as [string, { Tags?: { Key?: string; Value?: string }[] }];
  const tags = new Map(machine.Tags?.map((tag) => [tag.Key, tag.Value]));
  t.regex(tags.get('aws:ec2:fleet-id') ?? '', /^fleet-[0-9a-f-]{36}$/);
  tags.delete('aws:ec2:fleet-id');
  t.regex(tags.get('aws:ec2launchtemplate:id') ?? '', /^lt-/);
  tags.delete('aws:ec2launchtemplate:id');
  t.deepEqual(
    [...tags],
    [
      ['muster:request-id', 'req-1'],
      ['from', 'template'],
      ['aws:ec2launchtemplate:version', '1'],
      ['aws:autoscaling:groupName', 'web'],
    ],
  );
  t.deepEqual(simulator.ledger().live, { 'req-1': [id] });

  const set = (Key: string, Value: string) =>
    autoScaling.send(
      new CreateOrUpdateTagsCommand({
        Tags: [{ ResourceId: 'web', ResourceType: 'auto-scaling-group', Key, Value, PropagateAtLaunch: true }],
      }),
    );
  await set('own', 'changed');
  await autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity: 2 }));
  settle();
  const owners = [...(await live()).values()].map((one) => one.Tags?.find((tag) => tag.Key === 'own')?.Value);
  t.deepEqual(tally(owners), { '': 1, changed: 1 });
  for (let index = 0; index < 48; index++) await set(`key-${index}`, '');
  t.like(await refusal(set('one-more', '')), { code: 'LimitExceededFault' });
});

test('tags of groups can be read alone, and groups be found by them', async (t) => {
  const { autoScaling, create } = await openGroups(t);
  await create('one', { Tags: [{ Key: 'kind', Value: 'a', PropagateAtLaunch: true }] });
  await create('two', {
    Tags: [
      { Key: 'kind', Value: 'b' },
      { Key: 'other', Value: 'a' },
    ],
  });
  const find = async (Name: string, ...Values: string[]) => {
    const found = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ Filters: [{ Name, Values }] }));
    return found.AutoScalingGroups?.map((group) => group.AutoScalingGroupName);
  };
  t.deepEqual(await find('tag:kind', 'b'), ['two']);
  t.deepEqual(await find('tag-key', 'kind'), ['one', 'two']);
  t.deepEqual(await find('tag-value', 'a'), ['one', 'two']);
  t.is(await codeOf(find('nonsense', 'a')), 'ValidationError');

  const tags = async (Name: string, ...Values: string[]) => {
    const found = await autoScaling.send(new DescribeTagsCommand({ Filters: [{ Name, Values }] }));
    return found.Tags?.map((tag) => [tag.ResourceId, tag.Key, tag.Value, tag.PropagateAtLaunch]);
  };
  t.deepEqual(await tags('auto-scaling-group', 'one'), [['one', 'kind', 'a', true]]);
  t.deepEqual(await tags('key', 'other'), [['two', 'other', 'a', false]]);
  t.is((await tags('propagate-at-launch', 'false'))?.length, 2);
  const page = await autoScaling.send(new DescribeTagsCommand({ MaxRecords: 2 }));
  t.is(page.Tags?.length, 2);
  t.is(
    (await autoScaling.send(new DescribeTagsCommand({ MaxRecords: 2, NextToken: page.NextToken }))).Tags?.length,
    1,
  );
});

test('a refusal names the group, whatever the action', async (t) => {
  const { autoScaling } = await openGroups(t);
  const refused = await refusal(autoScaling.send(new SuspendProcessesCommand({ AutoScalingGroupName: 'none' })));
  t.like(refused, { code: 'ValidationError', status: 400 });
  t.regex(refused.message, /AutoScalingGroup name not found/);
});

test('faults and throttling reach Auto Scaling in its own form', async (t) => {
  const { autoScaling, create, show, simulator } = await openGroups(t);
  await create('web');
  const set = () =>
    autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'web', DesiredCapacity: 1 }));
  simulator.setKnobs({
    faults: [{ action: 'SetDesiredCapacity', effect: 'execute', then: 'error', code: 'ResourceContention' }],
  });
  t.like(await refusal(set()), { code: 'ResourceContentionFault', status: 500 });
  t.is((await show('web'))?.DesiredCapacity, 1);
});

test('the end of a group and of its machines can be told from the audit', async (t) => {
  const { autoScaling, create, ids, settle, simulator } = await openGroups(t);
  await create('web', { DesiredCapacity: 1 });
  settle();
  const members = await ids('web');
  await autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'web', ForceDelete: true }));
  const last = simulator.audit().at(-1);
  t.like(last, { action: 'DeleteAutoScalingGroup', executed: true, code: null });
  t.deepEqual(last?.ids.toSorted(), ['web', ...members].toSorted());
});
