import { CreateLaunchTemplateCommand, type FleetLaunchTemplateOverridesRequest } from '@aws-sdk/client-ec2';
import test from 'ava';
import { instanceTypes } from '../../../plugins/cloud-simulator/catalogue.ts';
import { openFleet } from './fleet-support.ts';
import { createFleet, groups } from './instant-fleet-support.ts';
import { codeOf, openCloud } from './support.ts';

test('only a fleet that goes on is held to 300 overrides', async (t) => {
  const { ec2 } = await openCloud(t);
  const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c', 'us-east-1d', 'us-east-1e', 'us-east-1f'];
  const many = [...instanceTypes.values()]
    .filter(({ arch }) => arch === 'x86_64')
    .flatMap(({ instance_type }) =>
      zones.map(
        (AvailabilityZone): FleetLaunchTemplateOverridesRequest => ({
          InstanceType: instance_type as FleetLaunchTemplateOverridesRequest['InstanceType'],
          AvailabilityZone,
        }),
      ),
    )
    .slice(0, 301);
  t.is(many.length, 301);
  t.is(await codeOf(openFleet(ec2, { overrides: many })), 'InvalidParameterValue');
  t.is(await codeOf(openFleet(ec2, { overrides: many, more: { Type: 'request' } })), 'InvalidParameterValue');
  t.truthy(await openFleet(ec2, { overrides: many.slice(1) }));
  t.is(
    (await createFleet(ec2, { units: 2, overrides: many })).Instances?.flatMap((each) => each.InstanceIds).length,
    2,
  );
});

test('a template with a type beside attributes is an error of its pool, unless the override says which of them', async (t) => {
  const { ec2 } = await openCloud(t);
  const InstanceRequirements = {
    VCpuCount: { Min: 2, Max: 2 },
    MemoryMiB: { Min: 8192, Max: 8192 },
    AllowedInstanceTypes: ['m5.*'],
  };
  const { LaunchTemplate } = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'both',
      LaunchTemplateData: { ImageId: 'ami-1', InstanceType: 't3.micro', InstanceRequirements },
    }),
  );
  const template = LaunchTemplate?.LaunchTemplateId;
  const refused = await createFleet(ec2, { units: 1, template });
  t.deepEqual(refused.Instances, []);
  t.is(refused.Errors?.[0]?.ErrorCode, 'InvalidParameterCombination');
  t.deepEqual(groups(await createFleet(ec2, { units: 1, template, overrides: [{ InstanceType: 'm5.xlarge' }] })), [
    ['m5.xlarge', 'on-demand', 1],
  ]);
  t.deepEqual(groups(await createFleet(ec2, { units: 1, template, overrides: [{ InstanceRequirements }] })), [
    ['m5.large', 'on-demand', 1],
  ]);
});
