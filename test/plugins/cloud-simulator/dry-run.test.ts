import {
  CreateFleetCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { fleetTemplate } from './fleet-support.ts';
import { codeOf, launch, openCloud } from './support.ts';

test('a dry run starts and ends nothing, and leaves its token free', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const template = await fleetTemplate(ec2);
  const fleet = (DryRun: boolean) =>
    ec2.send(
      new CreateFleetCommand({
        DryRun,
        Type: 'instant',
        ClientToken: 'one',
        LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateId: template, Version: '1' } }],
        TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
      }),
    );
  t.is(await codeOf(fleet(true)), 'DryRunOperation');
  t.deepEqual(simulator.ledger().live, {});
  const [id = ''] = (await fleet(false)).Instances?.[0]?.InstanceIds ?? [];
  t.is(await codeOf(ec2.send(new TerminateInstancesCommand({ InstanceIds: [id], DryRun: true }))), 'DryRunOperation');
  t.deepEqual(simulator.ledger().live, { 'req-1': [id] });
  t.is((await ec2.send(launch({ DryRun: false }))).Instances?.length, 1);
});

test('wrong parameters of a dry run are refused as without it', async (t) => {
  const { ec2 } = await openCloud(t);
  const DryRun = true;
  const unknown = 'i-0123456789abcdef0';
  t.is(await codeOf(ec2.send(launch({ DryRun, ImageId: 'ami-zzz' }))), 'InvalidAMIID.Malformed');
  t.is(await codeOf(ec2.send(launch({ DryRun, InstanceType: 'z9.tiny' as 't3.micro' }))), 'InvalidParameterValue');
  t.is(await codeOf(ec2.send(launch({ DryRun, MinCount: 2 }))), 'InvalidParameterCombination');
  t.is(
    await codeOf(ec2.send(new TerminateInstancesCommand({ DryRun, InstanceIds: [unknown] }))),
    'InvalidInstanceID.NotFound',
  );
  t.is(
    await codeOf(ec2.send(new DescribeInstancesCommand({ DryRun, Filters: [{ Name: 'color', Values: ['red'] }] }))),
    'InvalidParameterValue',
  );
  t.is(await codeOf(ec2.send(new DescribeInstancesCommand({ DryRun }))), 'DryRunOperation');
  t.is(
    await codeOf(ec2.send(new CreateTagsCommand({ DryRun, Resources: [unknown], Tags: [{ Key: 'a', Value: 'b' }] }))),
    'InvalidInstanceID.NotFound',
  );
  t.is(
    await codeOf(ec2.send(new DeleteLaunchTemplateCommand({ DryRun, LaunchTemplateName: 'none' }))),
    'InvalidLaunchTemplateName.NotFoundException',
  );
});

test('a dry run needs no capacity', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { capacity: [{ count: 0 }], quotas: { on_demand_vcpus: 0 } } });
  t.is(await codeOf(ec2.send(launch({ DryRun: true }))), 'DryRunOperation');
  t.is(await codeOf(ec2.send(launch())), 'VcpuLimitExceeded');
});

for (const [dryRun, code] of [
  ['DryRun=TRUE', 'DryRunOperation'],
  ['DryRun=perhaps', 'InvalidParameterValue'],
  ['DryRun.1=true', 'UnknownParameter'],
  ['DryRun=false', undefined],
] as const) {
  test(`a call with ${dryRun} ${code === undefined ? 'is a call like others' : `is answered with ${code}`}`, async (t) => {
    const { simulator } = await openCloud(t);
    const answer = await fetch(simulator.url, {
      method: 'POST',
      headers: {
        authorization:
          'AWS4-HMAC-SHA256 Credential=AKIATEST0001/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: `Action=DescribeRegions&Version=2016-11-15&${dryRun}`,
    });
    t.is(/<Code>(.*?)<\/Code>/.exec(await answer.text())?.[1], code);
  });
}
