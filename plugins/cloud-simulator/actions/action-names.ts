/**
 * The names of all actions by their service. This module imports nothing, so that the knobs can refuse a misspelled
 * name without importing the actions. An `Action` whose name is missing here does not compile; a test compares the
 * table with the actions.
 */
export const actionNames = {
  ec2: [
    'CancelSpotFleetRequests',
    'CreateFleet',
    'CreateLaunchTemplate',
    'CreateLaunchTemplateVersion',
    'CreateTags',
    'DeleteFleets',
    'DeleteLaunchTemplate',
    'DeleteLaunchTemplateVersions',
    'DescribeAvailabilityZones',
    'DescribeFleetHistory',
    'DescribeFleetInstances',
    'DescribeFleets',
    'DescribeImages',
    'DescribeInstanceStatus',
    'DescribeInstanceTypeOfferings',
    'DescribeInstanceTypes',
    'DescribeInstances',
    'DescribeKeyPairs',
    'DescribeLaunchTemplateVersions',
    'DescribeLaunchTemplates',
    'DescribeRegions',
    'DescribeSecurityGroups',
    'DescribeSpotFleetInstances',
    'DescribeSpotFleetRequestHistory',
    'DescribeSpotFleetRequests',
    'DescribeSpotInstanceRequests',
    'DescribeSpotPriceHistory',
    'DescribeSubnets',
    'DescribeTags',
    'DescribeVpcs',
    'GetInstanceTypesFromInstanceRequirements',
    'ModifyFleet',
    'ModifyLaunchTemplate',
    'ModifySpotFleetRequest',
    'RequestSpotFleet',
    'RunInstances',
    'TerminateInstances',
  ],
  autoscaling: [
    'CreateAutoScalingGroup',
    'CreateOrUpdateTags',
    'DeleteAutoScalingGroup',
    'DescribeAccountLimits',
    'DescribeAutoScalingGroups',
    'DescribeAutoScalingInstances',
    'DescribeScalingActivities',
    'DescribeTags',
    'DetachInstances',
    'LaunchInstances',
    'ResumeProcesses',
    'SetDesiredCapacity',
    'SetInstanceProtection',
    'SuspendProcesses',
    'TerminateInstanceInAutoScalingGroup',
    'UpdateAutoScalingGroup',
  ],
  sts: ['AssumeRole', 'GetCallerIdentity'],
  ssm: ['GetParameter'],
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
  'sqs',
] as const satisfies readonly (keyof typeof actionNames)[];

/** Actions that launch machines. */
export const launchActions: readonly ActionName[] = [
  'RunInstances',
  'CreateFleet',
  'RequestSpotFleet',
  'CreateAutoScalingGroup',
  'LaunchInstances',
];

/** Actions with `resources`: each draws from a bucket of machines in addition to its bucket of requests. */
export const machineActions: readonly ActionName[] = ['RunInstances', 'TerminateInstances'];
