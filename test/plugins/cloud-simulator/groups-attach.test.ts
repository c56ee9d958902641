import {
  AttachInstancesCommand,
  DescribeLifecycleHooksCommand,
  DisableMetricsCollectionCommand,
} from '@aws-sdk/client-auto-scaling';
import test from 'ava';
import { openGroups } from './groups-support.ts';
import { codeOf, launch } from './support.ts';

test('a group takes running machines, and its desired capacity rises with them', async (t) => {
  const { create, ids, live, settle, show, ec2, autoScaling, activities } = await openGroups(t);
  await create('web', { MaxSize: 2, DesiredCapacity: 1, AvailabilityZones: ['us-east-1a'] });
  const { Instances = [] } = await ec2.send(launch({ MaxCount: 2, Placement: { AvailabilityZone: 'us-east-1a' } }));
  const [first = '', second = ''] = Instances.map((one) => one.InstanceId ?? '');
  const attach = (InstanceIds: string[], name = 'web') =>
    autoScaling.send(new AttachInstancesCommand({ AutoScalingGroupName: name, InstanceIds }));
  t.is(await codeOf(attach([first])), 'ValidationError');
  settle();
  t.is(await codeOf(attach([first, second])), 'ValidationError');
  await attach([first]);
  t.is((await show('web'))?.DesiredCapacity, 2);
  settle();
  t.is((await ids('web')).length, 2);
  t.true((await ids('web')).includes(first));
  t.deepEqual(
    (await live()).get(first)?.Tags?.map((tag) => `${tag.Key}=${tag.Value}`),
    ['aws:autoscaling:groupName=web'],
  );
  t.is((await activities('web'))[0]?.Description, `Attaching an existing EC2 instance: ${first}`);
  t.is(await codeOf(attach([first])), 'ValidationError');
  t.is(await codeOf(attach(['i-0123456789abcdef0'])), 'ValidationError');
  t.is(await codeOf(attach([second], 'none')), 'ValidationError');
});

test('a group has no lifecycle hooks and no metrics', async (t) => {
  const { create, autoScaling } = await openGroups(t);
  await create('web');
  const hooks = (input = {}) =>
    autoScaling.send(new DescribeLifecycleHooksCommand({ AutoScalingGroupName: 'web', ...input }));
  t.deepEqual((await hooks()).LifecycleHooks, []);
  t.is(await codeOf(hooks({ LifecycleHookNames: ['one'] })), 'ValidationError');
  t.is(await codeOf(hooks({ AutoScalingGroupName: 'none' })), 'ValidationError');
  const disable = (name: string) =>
    autoScaling.send(new DisableMetricsCollectionCommand({ AutoScalingGroupName: name }));
  await t.notThrowsAsync(disable('web'));
  t.is(await codeOf(disable('none')), 'ValidationError');
});
