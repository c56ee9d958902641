import {
  DescribeInstancesCommand,
  DescribeInstanceTypesCommand,
  type EC2Client,
  paginateDescribeInstances,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

async function pageSizes(client: EC2Client, pageSize?: number): Promise<number[]> {
  const sizes: number[] = [];
  const pages = paginateDescribeInstances({ client, ...(pageSize === undefined ? {} : { pageSize }) }, {});
  for await (const { Reservations = [] } of pages)
    sizes.push(Reservations.flatMap((one) => one.Instances ?? []).length);
  return sizes;
}

test('pages are as large as asked for, unless page_size caps them', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await ec2.send(launch({ MinCount: 12, MaxCount: 12 }));
  t.deepEqual(await pageSizes(ec2), [12]);
  t.deepEqual(await pageSizes(ec2, 10), [10, 2]);
  simulator.setKnobs({ limits: { page_size: 4 } });
  t.deepEqual(await pageSizes(ec2), [4, 4, 4]);
  t.deepEqual(await pageSizes(ec2, 10), [4, 4, 4]);
  const types = await ec2.send(new DescribeInstanceTypesCommand({}));
  t.is(types.InstanceTypes?.length, 4);
  t.truthy(types.NextToken);
});

test('a call by ids is answered on one page, whatever the page size is', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { limits: { page_size: 2 } } });
  const { Instances = [] } = await ec2.send(launch({ MinCount: 5, MaxCount: 5 }));
  const found = await ec2.send(
    new DescribeInstancesCommand({ InstanceIds: Instances.map((one) => one.InstanceId ?? '') }),
  );
  t.is(found.Reservations?.flatMap((one) => one.Instances ?? []).length, 5);
  t.is(found.NextToken, undefined);
});

test('a page token expires by the knob, and never without it', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await ec2.send(launch({ MinCount: 6, MaxCount: 6 }));
  const first = await ec2.send(new DescribeInstancesCommand({ MaxResults: 5 }));
  const next = () => ec2.send(new DescribeInstancesCommand({ MaxResults: 5, NextToken: first.NextToken }));
  simulator.advance(600_000);
  t.is((await next()).Reservations?.length, 1);
  simulator.setKnobs({ limits: { page_token_ms: 600_000 } });
  t.is((await next()).Reservations?.length, 1);
  simulator.advance(1);
  t.is(await codeOf(next()), 'InvalidPaginationToken');
});

test('a token of another listing and one that nobody gave are refused', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(launch({ MinCount: 6, MaxCount: 6 }));
  const { NextToken } = await ec2.send(new DescribeInstancesCommand({ MaxResults: 5 }));
  const filtered = { MaxResults: 5, Filters: [{ Name: 'instance-type', Values: ['t3.micro'] }] };
  t.is(await codeOf(ec2.send(new DescribeInstancesCommand({ ...filtered, NextToken }))), 'InvalidPaginationToken');
  t.is(
    await codeOf(ec2.send(new DescribeInstanceTypesCommand({ MaxResults: 5, NextToken }))),
    'InvalidPaginationToken',
  );
  t.is(await codeOf(ec2.send(new DescribeInstancesCommand({ NextToken: 'abc' }))), 'InvalidPaginationToken');
});
