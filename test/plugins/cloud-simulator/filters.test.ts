import { DescribeInstancesCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

const values = (count: number) => Array.from({ length: count }, (_, index) => `t3.${index}`);
const filtered = (...counts: readonly number[]) =>
  new DescribeInstancesCommand({ Filters: counts.map((count) => ({ Name: 'instance-type', Values: values(count) })) });

test('a filter takes 200 values, and a call 50 filters', async (t) => {
  const { ec2 } = await openCloud(t);
  await t.notThrowsAsync(ec2.send(filtered(200)));
  t.is(await codeOf(ec2.send(filtered(201))), 'FilterLimitExceeded');
  await t.notThrowsAsync(ec2.send(filtered(...Array.from({ length: 50 }, () => 1))));
  t.is(await codeOf(ec2.send(filtered(...Array.from({ length: 51 }, () => 1)))), 'FilterLimitExceeded');
});

test('the limits of filters are knobs, for every action that filters', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { limits: { filters: 1, filter_values: 2 } } });
  await t.notThrowsAsync(ec2.send(filtered(2)));
  t.is(await codeOf(ec2.send(filtered(3))), 'FilterLimitExceeded');
  t.is(await codeOf(ec2.send(filtered(1, 1))), 'FilterLimitExceeded');
  const subnets = new DescribeSubnetsCommand({ Filters: [{ Name: 'subnet-id', Values: values(3) }] });
  t.is(await codeOf(ec2.send(subnets)), 'FilterLimitExceeded');
  t.like(simulator.audit().at(-1), { executed: false, answered: true, code: 'FilterLimitExceeded' });
});

test('DescribeInstances takes as many ids as its limit says', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { limits: { ids: 2 } } });
  const { Instances = [] } = await ec2.send(launch({ MaxCount: 3 }));
  const ids = Instances.map((one) => one.InstanceId ?? '');
  await t.notThrowsAsync(ec2.send(new DescribeInstancesCommand({ InstanceIds: ids.slice(1) })));
  t.is(await codeOf(ec2.send(new DescribeInstancesCommand({ InstanceIds: ids }))), 'InvalidParameterValue');
});
