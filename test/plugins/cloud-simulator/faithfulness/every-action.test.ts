// Every action is driven by the real SDK once, and every member of its answer must be one that the SDK's own model of
// the service knows.
import * as autoScaling from '@aws-sdk/client-auto-scaling';
import * as ec2 from '@aws-sdk/client-ec2';
import * as iam from '@aws-sdk/client-iam';
import * as quotas from '@aws-sdk/client-service-quotas';
import * as sqs from '@aws-sdk/client-sqs';
import * as ssm from '@aws-sdk/client-ssm';
import * as sts from '@aws-sdk/client-sts';
import test from 'ava';
import { actions } from '../../../../plugins/cloud-simulator/actions/index.ts';
import { checkAnswers } from '../model-check.ts';
import { openCloud } from '../support.ts';

interface Client {
  send(command: unknown): Promise<object>;
  destroy(): void;
}

/** What was made before, and a call may name. */
interface Made {
  readonly instance: string;
  readonly other: string;
  readonly fleet: string;
  readonly maintain: string;
  readonly spotFleet: string;
  readonly spotRequest: string;
  /** A running machine in no group. */
  readonly single: string;
  readonly vpc: string;
  readonly now: Date;
}

const named = { LaunchTemplateName: 'one' };
const template = { LaunchTemplateSpecification: { ...named, Version: '1' } };
const group = { AutoScalingGroupName: 'one' };
const requirements = { VCpuCount: { Min: 2, Max: 4 }, MemoryMiB: { Min: 4096 } };

/**
 * Input by service and action, in an order in which they can be called one after another; for each what must be in the
 * answer.
 */
const ec2Calls: readonly (readonly [action: string, input: (made: Made) => object, member?: string])[] = [
  ['RunInstances', () => ({ MinCount: 1, MaxCount: 1, LaunchTemplate: named }), 'Instances'],
  ['DescribeInstances', () => ({}), 'Reservations'],
  ['DescribeInstanceStatus', () => ({ IncludeAllInstances: true }), 'InstanceStatuses'],
  ['DescribeSpotInstanceRequests', () => ({}), 'SpotInstanceRequests'],
  ['CreateTags', ({ instance }) => ({ Resources: [instance], Tags: [{ Key: 'a', Value: 'b' }] })],
  ['DescribeTags', () => ({}), 'Tags'],
  [
    'CreateLaunchTemplate',
    () => ({ LaunchTemplateName: 'two', LaunchTemplateData: { ImageId: 'ami-1' } }),
    'LaunchTemplate',
  ],
  [
    'CreateLaunchTemplateVersion',
    () => ({ ...named, LaunchTemplateData: { ImageId: 'ami-2' } }),
    'LaunchTemplateVersion',
  ],
  ['ModifyLaunchTemplate', () => ({ ...named, DefaultVersion: '1' }), 'LaunchTemplate'],
  ['DescribeLaunchTemplates', () => ({}), 'LaunchTemplates'],
  ['DescribeLaunchTemplateVersions', () => named, 'LaunchTemplateVersions'],
  [
    'DeleteLaunchTemplateVersions',
    () => ({ ...named, Versions: ['1', '2'] }),
    'SuccessfullyDeletedLaunchTemplateVersions',
  ],
  ['DeleteLaunchTemplate', () => ({ LaunchTemplateName: 'two' }), 'LaunchTemplate'],
  [
    'CreateFleet',
    () => ({
      Type: 'instant',
      LaunchTemplateConfigs: [template],
      TargetCapacitySpecification: { TotalTargetCapacity: 1 },
    }),
    'Instances',
  ],
  ['DescribeFleets', () => ({}), 'Fleets'],
  ['DescribeFleetInstances', ({ maintain }) => ({ FleetId: maintain }), 'ActiveInstances'],
  ['DescribeFleetHistory', ({ maintain, now }) => ({ FleetId: maintain, StartTime: now }), 'HistoryRecords'],
  [
    'ModifyFleet',
    ({ maintain }) => ({ FleetId: maintain, TargetCapacitySpecification: { TotalTargetCapacity: 3 } }),
    'Return',
  ],
  [
    'DeleteFleets',
    ({ maintain, fleet }) => ({ FleetIds: [maintain, fleet], TerminateInstances: true }),
    'SuccessfulFleetDeletions',
  ],
  [
    'RequestSpotFleet',
    () => ({
      SpotFleetRequestConfig: {
        IamFleetRole: 'arn:aws:iam::123456789012:role/fleet',
        TargetCapacity: 1,
        LaunchTemplateConfigs: [template],
      },
    }),
    'SpotFleetRequestId',
  ],
  ['DescribeSpotFleetRequests', () => ({}), 'SpotFleetRequestConfigs'],
  ['DescribeSpotFleetInstances', ({ spotFleet }) => ({ SpotFleetRequestId: spotFleet }), 'ActiveInstances'],
  [
    'DescribeSpotFleetRequestHistory',
    ({ spotFleet, now }) => ({ SpotFleetRequestId: spotFleet, StartTime: now }),
    'HistoryRecords',
  ],
  ['ModifySpotFleetRequest', ({ spotFleet }) => ({ SpotFleetRequestId: spotFleet, TargetCapacity: 2 }), 'Return'],
  [
    'CancelSpotFleetRequests',
    ({ spotFleet }) => ({ SpotFleetRequestIds: [spotFleet], TerminateInstances: true }),
    'SuccessfulFleetRequests',
  ],
  ['DescribeImages', () => ({}), 'Images'],
  ['DescribeSubnets', () => ({}), 'Subnets'],
  ['DescribeSecurityGroups', () => ({}), 'SecurityGroups'],
  ['DescribeKeyPairs', () => ({}), 'KeyPairs'],
  ['DescribeInstanceTypes', () => ({}), 'InstanceTypes'],
  ['DescribeInstanceTypeOfferings', () => ({}), 'InstanceTypeOfferings'],
  [
    'GetInstanceTypesFromInstanceRequirements',
    () => ({ ArchitectureTypes: ['x86_64'], VirtualizationTypes: ['hvm'], InstanceRequirements: requirements }),
    'InstanceTypes',
  ],
  ['DescribeSpotPriceHistory', () => ({}), 'SpotPriceHistory'],
  ['DescribeVpcs', () => ({}), 'Vpcs'],
  ['DescribeAvailabilityZones', () => ({}), 'AvailabilityZones'],
  ['DescribeRegions', () => ({}), 'Regions'],
  ['DescribeVpcAttribute', ({ vpc }) => ({ VpcId: vpc, Attribute: 'enableDnsSupport' }), 'EnableDnsSupport'],
  ['DescribeVpcClassicLink', () => ({}), 'Vpcs'],
  ['DescribeVpcClassicLinkDnsSupport', () => ({}), 'Vpcs'],
  ['DescribeAddresses', () => ({}), 'Addresses'],
  ['DescribeNetworkInterfaces', () => ({}), 'NetworkInterfaces'],
  ['DescribeVolumes', () => ({}), 'Volumes'],
  [
    'DescribeInstanceAttribute',
    ({ instance }) => ({ InstanceId: instance, Attribute: 'blockDeviceMapping' }),
    'BlockDeviceMappings',
  ],
  ['ModifyInstanceAttribute', ({ instance }) => ({ InstanceId: instance, SourceDestCheck: { Value: false } })],
  ['RebootInstances', ({ instance }) => ({ InstanceIds: [instance] })],
  ['StopInstances', ({ instance }) => ({ InstanceIds: [instance] }), 'StoppingInstances'],
  ['StartInstances', ({ instance }) => ({ InstanceIds: [instance] }), 'StartingInstances'],
  [
    'RequestSpotInstances',
    () => ({ LaunchSpecification: { ImageId: 'ami-1', InstanceType: 't3.micro' } }),
    'SpotInstanceRequests',
  ],
  [
    'CancelSpotInstanceRequests',
    ({ spotRequest }) => ({ SpotInstanceRequestIds: [spotRequest] }),
    'CancelledSpotInstanceRequests',
  ],
  ['DeleteTags', ({ instance }) => ({ Resources: [instance] })],
  ['TerminateInstances', ({ instance }) => ({ InstanceIds: [instance] }), 'TerminatingInstances'],
];

const groupCalls: typeof ec2Calls = [
  [
    'CreateAutoScalingGroup',
    () => ({
      AutoScalingGroupName: 'two',
      MinSize: 0,
      MaxSize: 0,
      AvailabilityZones: ['us-east-1a'],
      LaunchTemplate: named,
    }),
  ],
  ['UpdateAutoScalingGroup', () => ({ ...group, MaxSize: 9 })],
  ['SetDesiredCapacity', () => ({ ...group, DesiredCapacity: 4 })],
  ['DescribeAutoScalingGroups', () => ({}), 'AutoScalingGroups'],
  ['DescribeAutoScalingInstances', () => ({}), 'AutoScalingInstances'],
  ['DescribeScalingActivities', () => ({}), 'Activities'],
  ['SetInstanceProtection', ({ other }) => ({ ...group, InstanceIds: [other], ProtectedFromScaleIn: true })],
  ['SuspendProcesses', () => group],
  ['ResumeProcesses', () => group],
  [
    'CreateOrUpdateTags',
    () => ({
      Tags: [{ ResourceId: 'one', ResourceType: 'auto-scaling-group', Key: 'a', Value: 'b', PropagateAtLaunch: true }],
    }),
  ],
  ['DescribeTags', () => ({}), 'Tags'],
  [
    'LaunchInstances',
    () => ({ ...group, RequestedCapacity: 1, ClientToken: 'l', AvailabilityZones: ['us-east-1a'] }),
    'Instances',
  ],
  ['DescribeAccountLimits', () => ({}), 'NumberOfAutoScalingGroups'],
  ['AttachInstances', ({ single }) => ({ ...group, InstanceIds: [single] })],
  ['DescribeLifecycleHooks', () => group, 'LifecycleHooks'],
  ['DisableMetricsCollection', () => group],
  [
    'DetachInstances',
    ({ other }) => ({ ...group, InstanceIds: [other], ShouldDecrementDesiredCapacity: true }),
    'Activities',
  ],
  [
    'TerminateInstanceInAutoScalingGroup',
    ({ instance }) => ({ InstanceId: instance, ShouldDecrementDesiredCapacity: true }),
    'Activity',
  ],
  ['DeleteAutoScalingGroup', () => ({ ...group, ForceDelete: true })],
];

const stsCalls: typeof ec2Calls = [
  ['GetCallerIdentity', () => ({}), 'Account'],
  ['AssumeRole', () => ({ RoleArn: 'arn:aws:iam::123456789012:role/one', RoleSessionName: 'test' }), 'Credentials'],
];

const ssmCalls: typeof ec2Calls = [
  ['GetParameter', () => ({ Name: '/images/one:3' }), 'Parameter'],
  ['GetParameters', () => ({ Names: ['/images/one'] }), 'Parameters'],
  ['GetParametersByPath', () => ({ Path: '/images' }), 'Parameters'],
];

const iamCalls: typeof ec2Calls = [['GetRole', () => ({ RoleName: 'AWSServiceRoleForEC2Spot' }), 'Role']];

const quotaCalls: typeof ec2Calls = [
  ['ListServiceQuotas', () => ({ ServiceCode: 'ec2' }), 'Quotas'],
  ['GetServiceQuota', () => ({ ServiceCode: 'ec2', QuotaCode: 'L-1216C47A' }), 'Quota'],
];

const queue = { QueueUrl: 'https://sqs.us-east-1.amazonaws.com/000000000000/one' };
const ReceiptHandle = Buffer.from('one#1').toString('base64');
const sqsCalls: typeof ec2Calls = [
  ['CreateQueue', () => ({ QueueName: 'one' }), 'QueueUrl'],
  ['GetQueueUrl', () => ({ QueueName: 'one' }), 'QueueUrl'],
  ['SendMessage', () => ({ ...queue, MessageBody: 'text' }), 'MessageId'],
  ['ReceiveMessage', () => queue, 'Messages'],
  ['GetQueueAttributes', () => ({ ...queue, AttributeNames: ['QueueArn'] }), 'Attributes'],
  ['DeleteMessage', () => ({ ...queue, ReceiptHandle })],
  ['DeleteMessageBatch', () => ({ ...queue, Entries: [{ Id: '1', ReceiptHandle }] }), 'Successful'],
  ['DeleteQueue', () => queue],
];

test('these tests call every action', (t) => {
  const called = [
    ...ec2Calls.map(([name]) => `2016-11-15/${name}`),
    ...groupCalls.map(([name]) => `2011-01-01/${name}`),
    ...stsCalls.map(([name]) => `2011-06-15/${name}`),
    ...ssmCalls.map(([name]) => `2014-11-06/${name}`),
    ...iamCalls.map(([name]) => `2010-05-08/${name}`),
    ...quotaCalls.map(([name]) => `2019-06-24/${name}`),
    ...sqsCalls.map(([name]) => `2012-11-05/${name}`),
  ];
  t.deepEqual(called.toSorted(), actions.map((one) => `${one.version ?? '2016-11-15'}/${one.name}`).toSorted());
});

for (const [service, calls, library] of [
  ['EC2', ec2Calls, ec2],
  ['Auto Scaling', groupCalls, autoScaling],
  ['STS', stsCalls, sts],
  ['Systems Manager', ssmCalls, ssm],
  ['SQS', sqsCalls, sqs],
  ['IAM', iamCalls, iam],
  ['Service Quotas', quotaCalls, quotas],
] as const) {
  test(`the SDK drives every action of ${service} and knows all that it answers`, async (t) => {
    const cloud = await openCloud(t);
    const { simulator } = cloud;
    const options = {
      endpoint: simulator.url,
      region: 'us-east-1',
      maxAttempts: 1,
      useQueueUrlAsEndpoint: false,
      credentials: { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' },
    };
    const clients = {
      EC2: ec2.EC2Client,
      'Auto Scaling': autoScaling.AutoScalingClient,
      STS: sts.STSClient,
      'Systems Manager': ssm.SSMClient,
      SQS: sqs.SQSClient,
      IAM: iam.IAMClient,
      'Service Quotas': quotas.ServiceQuotasClient,
    };
    const client = new clients[service](options);
    checkAnswers(client);
    t.teardown(() => client.destroy());
    const made = await prepare(
      cloud.ec2,
      service,
      options,
      () => simulator.advance(90_000),
      new Date(simulator.clock.now()),
    );
    for (const [name, input, member] of calls) {
      const Command = (library as unknown as Record<string, new (input: object) => unknown>)[`${name}Command`];
      if (Command === undefined) throw new Error(`The SDK has no ${name}.`);
      const answer = await (client as Client)
        .send(new Command(input(made)))
        .catch((error: Error) => t.fail(`${name}: ${error.name}: ${error.message}`));
      if (member !== undefined)
        t.not((answer as unknown as Record<string, unknown>)?.[member], undefined, `${name}: ${member}`);
      simulator.advance(5000);
    }
  });
}

const withoutDryRun = new Set(['DescribeVpcClassicLinkDnsSupport', 'ModifySpotFleetRequest']);

test('every action of EC2 but two has a dry run, which changes nothing', async (t) => {
  const cloud = await openCloud(t);
  const { simulator } = cloud;
  const now = new Date(simulator.clock.now());
  const made = await prepare(cloud.ec2, 'EC2', {}, () => simulator.advance(90_000), now);
  const before = simulator.audit().length;
  for (const [name, input] of ec2Calls) {
    if (withoutDryRun.has(name)) continue;
    const Command = (ec2 as unknown as Record<string, new (input: object) => ec2.DescribeRegionsCommand>)[
      `${name}Command`
    ];
    if (Command === undefined) throw new Error(`The SDK has no ${name}.`);
    // The template that this call deletes is made by an earlier call, which is a dry run here.
    const isMissing = name === 'DeleteLaunchTemplate';
    t.is(
      await cloud.ec2.send(new Command({ ...input(made), DryRun: true })).then(
        () => 'none',
        (error: Error) => error.name,
      ),
      isMissing ? 'InvalidLaunchTemplateName.NotFoundException' : 'DryRunOperation',
      name,
    );
  }
  const calls = simulator.audit(before);
  t.deepEqual(
    calls.filter((call) => call.ids.length > 0).map((call) => call.action),
    [],
  );
});

async function prepare(
  client: ec2.EC2Client,
  service: string,
  options: object,
  advance: () => void,
  now: Date,
): Promise<Made> {
  const LaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' } as const;
  await client.send(new ec2.CreateLaunchTemplateCommand({ LaunchTemplateName: 'one', LaunchTemplateData }));
  const makeFleet = async (Type: 'instant' | 'maintain') => {
    const TargetCapacitySpecification = { TotalTargetCapacity: 2, DefaultTargetCapacityType: 'spot' } as const;
    const { FleetId } = await client.send(
      new ec2.CreateFleetCommand({ Type, LaunchTemplateConfigs: [template], TargetCapacitySpecification }),
    );
    return FleetId ?? '';
  };
  const [fleet, maintain] = [await makeFleet('instant'), await makeFleet('maintain')];
  const config = {
    IamFleetRole: 'arn:aws:iam::123456789012:role/fleet',
    TargetCapacity: 2,
    LaunchTemplateConfigs: [template],
  };
  const { SpotFleetRequestId: spotFleet = '' } = await client.send(
    new ec2.RequestSpotFleetCommand({ SpotFleetRequestConfig: config }),
  );
  const run = { ImageId: 'ami-1', InstanceType: 't3.micro', MinCount: 1, MaxCount: 1 } as const;
  const spot = await client.send(
    new ec2.RunInstancesCommand({ ...run, InstanceMarketOptions: { MarketType: 'spot' } }),
  );
  const Placement = { AvailabilityZone: 'us-east-1a' };
  let [instance = '', other = ''] =
    (await client.send(new ec2.RunInstancesCommand({ ...run, Placement }))).Instances?.map(
      (one) => one.InstanceId ?? '',
    ) ?? [];
  const single = instance;
  const { Vpcs } = await client.send(new ec2.DescribeVpcsCommand({}));
  if (service === 'Auto Scaling') {
    const groups = new autoScaling.AutoScalingClient(options as object);
    const sizes = { MinSize: 0, MaxSize: 5, DesiredCapacity: 3, AvailabilityZones: ['us-east-1a'] };
    await groups.send(new autoScaling.CreateAutoScalingGroupCommand({ ...group, ...sizes, LaunchTemplate: named }));
    advance();
    const members = (await groups.send(new autoScaling.DescribeAutoScalingGroupsCommand(group as object)))
      .AutoScalingGroups?.[0]?.Instances;
    [instance = '', other = ''] = members?.map((one) => one.InstanceId ?? '') ?? [];
    groups.destroy();
  }
  advance();
  return {
    instance,
    other,
    fleet,
    maintain,
    spotFleet,
    single,
    vpc: Vpcs?.[0]?.VpcId ?? '',
    spotRequest: spot.Instances?.[0]?.SpotInstanceRequestId ?? '',
    now,
  };
}
