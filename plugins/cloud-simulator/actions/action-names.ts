/**
 * The names of all actions by their service. This module imports nothing, so that the knobs can refuse a misspelled
 * name without importing the actions. An `Action` whose name is missing here does not compile; a test compares the
 * table with the actions.
 */
export const actionNames = {
  ec2: [
    'CancelSpotFleetRequests',
    'CancelSpotInstanceRequests',
    'CreateFleet',
    'CreateLaunchTemplate',
    'CreateLaunchTemplateVersion',
    'CreateTags',
    'DeleteFleets',
    'DeleteLaunchTemplate',
    'DeleteLaunchTemplateVersions',
    'DeleteTags',
    'DescribeAddresses',
    'DescribeAvailabilityZones',
    'DescribeFleetHistory',
    'DescribeFleetInstances',
    'DescribeFleets',
    'DescribeImages',
    'DescribeInstanceAttribute',
    'DescribeInstanceStatus',
    'DescribeInstanceTypeOfferings',
    'DescribeInstanceTypes',
    'DescribeInstances',
    'DescribeKeyPairs',
    'DescribeLaunchTemplateVersions',
    'DescribeLaunchTemplates',
    'DescribeNetworkInterfaces',
    'DescribeRegions',
    'DescribeSecurityGroups',
    'DescribeSpotFleetInstances',
    'DescribeSpotFleetRequestHistory',
    'DescribeSpotFleetRequests',
    'DescribeSpotInstanceRequests',
    'DescribeSpotPriceHistory',
    'DescribeSubnets',
    'DescribeTags',
    'DescribeVolumes',
    'DescribeVpcAttribute',
    'DescribeVpcClassicLink',
    'DescribeVpcClassicLinkDnsSupport',
    'DescribeVpcs',
    'GetInstanceTypesFromInstanceRequirements',
    'ModifyFleet',
    'ModifyInstanceAttribute',
    'ModifyLaunchTemplate',
    'ModifySpotFleetRequest',
    'RebootInstances',
    'RequestSpotFleet',
    'RequestSpotInstances',
    'RunInstances',
    'StartInstances',
    'StopInstances',
    'TerminateInstances',
  ],
  autoscaling: [
    'AttachInstances',
    'CreateAutoScalingGroup',
    'CreateOrUpdateTags',
    'DeleteAutoScalingGroup',
    'DescribeAccountLimits',
    'DescribeAutoScalingGroups',
    'DescribeAutoScalingInstances',
    'DescribeLifecycleHooks',
    'DescribeScalingActivities',
    'DescribeTags',
    'DetachInstances',
    'DisableMetricsCollection',
    'LaunchInstances',
    'ResumeProcesses',
    'SetDesiredCapacity',
    'SetInstanceProtection',
    'SuspendProcesses',
    'TerminateInstanceInAutoScalingGroup',
    'UpdateAutoScalingGroup',
  ],
  sts: ['AssumeRole', 'GetCallerIdentity'],
  ssm: ['GetParameter', 'GetParameters', 'GetParametersByPath'],
  iam: ['GetRole'],
  sqs: [
    'CreateQueue',
    'DeleteMessage',
    'DeleteMessageBatch',
    'DeleteQueue',
    'GetQueueAttributes',
    'GetQueueUrl',
    'ReceiveMessage',
    'SendMessage',
  ],
} as const;

export type ActionName = (typeof actionNames)[keyof typeof actionNames][number];

/** The services whose actions share one token bucket, which has the service's name. */
export const sharedBuckets = [
  'autoscaling',
  'sts',
  'ssm',
  'iam',
  'sqs',
] as const satisfies readonly (keyof typeof actionNames)[];

/** Actions that launch machines. */
export const launchActions: readonly ActionName[] = [
  'RunInstances',
  'CreateFleet',
  'RequestSpotFleet',
  'RequestSpotInstances',
  'CreateAutoScalingGroup',
  'LaunchInstances',
];

/** Actions with `resources`: each draws from a bucket of machines in addition to its bucket of requests. */
export const machineActions: readonly ActionName[] = [
  'RunInstances',
  'StartInstances',
  'StopInstances',
  'TerminateInstances',
];
