import { CreateFleetCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
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

for (const [dryRun, code] of [
  ['DryRun=TRUE', 'DryRunOperation'],
  ['DryRun=perhaps', 'InvalidParameterValue'],
  // No parameter of that name, but parts of one: unusual, and no reason to fail.
  ['DryRun.1=true', undefined],
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
