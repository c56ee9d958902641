import {
  type CreateAutoScalingGroupCommandInput,
  DescribeAccountLimitsCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import test from 'ava';
import { openGroups } from './groups-support.ts';
import { refusal } from './support.ts';

test('the quota of groups is a limit of the account', async (t) => {
  const { autoScaling, create } = await openGroups(t, { knobs: { quotas: { groups: 1 } } });
  await create('one');
  t.like(await refusal(create('two')), { code: 'LimitExceededFault', status: 400 });
  t.like(await autoScaling.send(new DescribeAccountLimitsCommand({})), {
    MaxNumberOfAutoScalingGroups: 1,
    NumberOfAutoScalingGroups: 1,
  });
});

const invalid: readonly [what: string, input: Partial<CreateAutoScalingGroupCommandInput>, message: RegExp][] = [
  ['with a colon in its name', { AutoScalingGroupName: 'a:b' }, /colon/],
  ['with too long a name', { AutoScalingGroupName: 'a'.repeat(256) }, /255/],
  ['whose minimum is above its maximum', { MinSize: 3, MaxSize: 2 }, /greater than or equal/],
  ['that wants more than its maximum', { DesiredCapacity: 21 }, /between/],
  ['that wants less than its minimum', { MinSize: 2, DesiredCapacity: 1 }, /between/],
  ['without zones and subnets', { AvailabilityZones: undefined }, /Availability Zone/],
  ['in a zone that is none', { AvailabilityZones: ['us-east-1q'] }, /us-east-1q/],
  ['without a template', { LaunchTemplate: undefined }, /LaunchTemplate/],
  [
    'with a template and a policy',
    {
      MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification: { LaunchTemplateName: 'pool' } } },
      LaunchTemplate: { LaunchTemplateName: 'pool' },
    },
    /either/,
  ],
  ['with a launch configuration', { LaunchConfigurationName: 'old' }, /not simulated/],
  ['of a machine', { InstanceId: 'i-1' }, /not simulated/],
  [
    'with a lifecycle hook',
    {
      LifecycleHookSpecificationList: [
        { LifecycleHookName: 'h', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' },
      ],
    },
    /not simulated/,
  ],
  [
    'of an unknown template',
    { LaunchTemplate: { LaunchTemplateName: 'none', Version: '1' } },
    /fully-formed launch template\. .*does not exist/,
  ],
  [
    'of an unknown version',
    { LaunchTemplate: { LaunchTemplateName: 'pool', Version: '9' } },
    /fully-formed launch template\. .*version/,
  ],
  [
    'of a template without an image',
    { LaunchTemplate: { LaunchTemplateName: 'bare' } },
    /fully-formed launch template\. .*ImageId/,
  ],
  ['with a termination policy that is none', { TerminationPolicies: ['Default', 'Youngest'] }, /Youngest/],
  ['with a kind of health check that is none', { HealthCheckType: 'HTTP' }, /HealthCheckType/],
  ['with a negative cooldown', { DefaultCooldown: -1 }, /DefaultCooldown/],
  ['with a negative grace period', { HealthCheckGracePeriod: -1 }, /HealthCheckGracePeriod/],
  ['with a reserved tag', { Tags: [{ Key: 'aws:x', Value: 'y' }] }, /aws:/],
];
for (const [what, input, message] of invalid) {
  test(`a group ${what} is refused`, async (t) => {
    const { create, simulator, template } = await openGroups(t);
    await template('bare', { InstanceType: 't3.micro' });
    const refused = await refusal(create('web', input));
    t.like(refused, { code: 'ValidationError', status: 400 });
    t.regex(refused.message, message);
    t.deepEqual(simulator.ledger().groups, []);
  });
}

test('what a launch would refuse of a template is refused at once with strict ids', async (t) => {
  const { create } = await openGroups(t, { knobs: { strict_ids: true } });
  t.regex((await refusal(create('web'))).message, /fully-formed launch template\. .*ami-1/);
  t.regex(
    (await refusal(create('web', { AvailabilityZones: undefined, VPCZoneIdentifier: 'subnet-9' }))).message,
    /subnet-9/,
  );
});

test('settings without an effect here come back as they were given, and an update leaves alone what it does not name', async (t) => {
  const { autoScaling, create, show } = await openGroups(t);
  const given = {
    InstanceMaintenancePolicy: { MinHealthyPercentage: 90, MaxHealthyPercentage: 110 },
    AvailabilityZoneDistribution: { CapacityDistributionStrategy: 'balanced-only' },
    AvailabilityZoneImpairmentPolicy: { ZonalShiftEnabled: false, ImpairedZoneHealthCheckBehavior: 'IgnoreUnhealthy' },
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-first',
      CapacityReservationTarget: { CapacityReservationIds: ['cr-1'] },
    },
    LoadBalancerNames: ['one'],
    TargetGroupARNs: ['arn:aws:elasticloadbalancing:x'],
    TrafficSources: [{ Identifier: 'tg-1', Type: 'vpc-lattice' }],
    PlacementGroup: 'close',
  } as const;
  await create('plain');
  await create('web', given as unknown as Partial<CreateAutoScalingGroupCommandInput>);
  t.like(await show('plain'), { LoadBalancerNames: [], TargetGroupARNs: [], TrafficSources: [], EnabledMetrics: [] });
  t.like(await show('web'), given);
  const InstanceMaintenancePolicy = { MinHealthyPercentage: 50, MaxHealthyPercentage: 150 };
  await autoScaling.send(
    new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'web', InstanceMaintenancePolicy }),
  );
  t.like(await show('web'), { ...given, InstanceMaintenancePolicy });
});
