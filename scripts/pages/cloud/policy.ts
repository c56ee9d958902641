import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownResourceActions } from '../../../plugins/cloud/checks/own-resource-actions.ts';
import { root } from '../page.ts';
import { cloudPlugins } from './apis.ts';

/** The service of each SDK, by the name of the SDK in the code. */
const services: Readonly<Record<string, string>> = {
  ec2: 'ec2',
  sdk: 'autoscaling',
  ssm: 'ssm',
  sqs: 'sqs',
  iam: 'iam',
  quotas: 'servicequotas',
};
/** Actions that IAM names otherwise. */
const otherNames: Readonly<Record<string, string>> = { DeleteMessageBatch: 'DeleteMessage' };

/** The provider APIs, by the plugin that has their calls. */
export const apiPlugins = {
  RunInstances: 'cloud-runinstances',
  EC2Fleet: 'cloud-ec2fleet',
  SpotFleet: 'cloud-spotfleet',
  ASG: 'cloud-asg',
} as const;
export type ApiName = keyof typeof apiPlugins;
export const apiNames = Object.keys(apiPlugins) as readonly ApiName[];

/**
 * Parts of the plugin `cloud` whose calls only some APIs make. All others serve every API: the sweep of every instance
 * also finds and deletes launch templates.
 */
const usersOfPart: Readonly<Record<string, readonly ApiName[]>> = {
  'plugins/cloud/fleets/': ['EC2Fleet', 'SpotFleet'],
  'plugins/cloud/launch-templates/create.ts': ['EC2Fleet', 'SpotFleet', 'ASG'],
  'plugins/cloud/launch-templates/clean-up/clean-up.ts': ['EC2Fleet', 'SpotFleet', 'ASG'],
};

/** Every action that the plugins call for these APIs, as IAM names it. */
export function actions(apis: readonly ApiName[] = apiNames): string[] {
  const found = new Set<string>();
  for (const file of globSync(`plugins/{${cloudPlugins.join(',')}}/**/*.ts`, { cwd: root })) {
    if (!isUsed(file, apis)) continue;
    for (const [, sdk, name] of readFileSync(join(root, file), 'utf8').matchAll(
      /new (?:(ec2|sdk|ssm|sqs|iam|quotas)\.)?([A-Z]\w+)Command\(/g,
    ))
      found.add(`${services[sdk ?? ''] ?? 'sts'}:${otherNames[name ?? ''] ?? name}`);
  }
  return [...found].toSorted();
}

function isUsed(file: string, apis: readonly ApiName[]): boolean {
  const part = Object.keys(usersOfPart).find((name) => file.startsWith(name));
  if (part !== undefined) return usersOfPart[part]?.some((api) => apis.includes(api)) ?? false;
  const [, plugin] = file.split('/');
  return plugin === 'cloud' || apis.some((api) => apiPlugins[api] === plugin);
}

/** Actions on existing resources that carry our tag. */
const own = new Set([...ownResourceActions].map((action) => `ec2:${action}`));

/**
 * Actions that AWS checks for the caller beside the call that muster makes: a fleet and a group start machines on
 * behalf of the caller.
 */
const implied: Readonly<Record<ApiName, readonly string[]>> = {
  RunInstances: [],
  EC2Fleet: ['ec2:RunInstances'],
  SpotFleet: ['ec2:RunInstances'],
  ASG: ['ec2:RunInstances'],
};

/** Services whose service-linked role an API needs in the account. */
export const roleServices: Readonly<Record<ApiName, readonly string[]>> = {
  RunInstances: ['spot.amazonaws.com'],
  EC2Fleet: ['spot.amazonaws.com', 'ec2fleet.amazonaws.com'],
  SpotFleet: ['spot.amazonaws.com', 'spotfleet.amazonaws.com'],
  ASG: ['spot.amazonaws.com', 'autoscaling.amazonaws.com'],
};

interface PolicyOptions {
  readonly partition?: string;
  /** Statements that only an option needs, with the option. Default: all. */
  readonly optional?: boolean;
}

/** The policy of the caller for these APIs, restricted by conditions where possible. */
export function policyFor(
  apis: readonly ApiName[] = apiNames,
  { partition = 'aws', optional = true }: PolicyOptions = {},
): object {
  const all = [...new Set([...actions(apis), ...apis.flatMap((api) => implied[api])])].toSorted();
  const parameters = all.filter((action) => action.startsWith('ssm:'));
  const queue = all.filter((action) => action.startsWith('sqs:'));
  const looks = all.filter((action) => /:(Describe|Get)/.test(action) && !parameters.includes(action));
  const roles: readonly string[] = all.filter((action) => action === 'sts:AssumeRole');
  const apart = [...looks, ...parameters, ...queue, ...own, ...roles, 'ec2:CreateTags'];
  const makes = all.filter((action) => !apart.includes(action));
  const creating = ['RunInstances', 'CreateFleet', 'CreateLaunchTemplate', 'RequestSpotFleet'];
  const arn = (rest: string) => `arn:${partition}:${rest}`;
  const has = (api: ApiName) => apis.includes(api);
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const base = [
    { Sid: 'Describe', Effect: 'Allow', Action: looks, Resource: '*' },
    { Sid: 'CreateAndModify', Effect: 'Allow', Action: makes, Resource: '*' },
    {
      Sid: 'ModifyAndDeleteTagged',
      Effect: 'Allow',
      Action: all.filter((action) => own.has(action)),
      Resource: '*',
      Condition: { StringLike: { 'aws:ResourceTag/muster:installation': '*' } },
    },
    {
      Sid: 'TagOnCreate',
      Effect: 'Allow',
      Action: 'ec2:CreateTags',
      Resource: '*',
      // Not `IfExists`: whoever may tag any machine may also end any machine by the statement above.
      Condition: {
        StringEquals: { 'ec2:CreateAction': creating.filter((action) => makes.includes(`ec2:${action}`)) },
      },
    },
    ...(has('ASG')
      ? [{ Sid: 'TagGroupsOnCreate', Effect: 'Allow', Action: 'autoscaling:CreateOrUpdateTags', Resource: '*' }]
      : []),
    {
      Sid: 'CreateServiceLinkedRoles',
      Effect: 'Allow',
      Action: 'iam:CreateServiceLinkedRole',
      Resource: arn('iam::ACCOUNT:role/aws-service-role/*'),
      Condition: { StringEquals: { 'iam:AWSServiceName': [...new Set(apis.flatMap((api) => roleServices[api]))] } },
    },
    ...(has('SpotFleet')
      ? [
          {
            Sid: 'PassRoleToSpotFleet',
            Effect: 'Allow',
            Action: 'iam:PassRole',
            Resource: [
              arn('iam::ACCOUNT:role/aws-service-role/spotfleet.amazonaws.com/AWSServiceRoleForEC2SpotFleet'),
              arn('iam::ACCOUNT:role/ROLE-OF-SPOT-FLEETS'),
            ],
          },
        ]
      : []),
  ];
  const more = [
    {
      Sid: 'PassRoleToMachines',
      Effect: 'Allow',
      Action: 'iam:PassRole',
      Resource: arn('iam::ACCOUNT:role/ROLE-OF-THE-MACHINES'),
      Condition: { StringEquals: { 'iam:PassedToService': `ec2.${suffix}` } },
    },
    {
      Sid: 'TagWithOwnId',
      Effect: 'Allow',
      Action: 'ec2:CreateTags',
      Resource: [arn('ec2:*:ACCOUNT:instance/*'), arn('ec2:*:ACCOUNT:volume/*')],
      Condition: {
        StringLike: { 'aws:ResourceTag/muster:installation': '*' },
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['InstanceID'] },
      },
    },
    {
      Sid: 'ReadImageParameters',
      Effect: 'Allow',
      Action: parameters,
      Resource: [arn('ssm:*::parameter/aws/service/*'), arn('ssm:*:ACCOUNT:parameter/PATH-OF-YOUR-IMAGES/*')],
    },
    {
      Sid: 'ReceiveInterruptions',
      Effect: 'Allow',
      Action: queue,
      Resource: arn('sqs:REGION:ACCOUNT:INTERRUPTION-QUEUE'),
    },
    {
      Sid: 'AssumeInstanceRole',
      Effect: 'Allow',
      Action: roles,
      Resource: arn('iam::ACCOUNT:role/ROLE-ARN-OF-THE-CONFIGURATION'),
    },
    {
      Sid: 'UseKeysOfVolumes',
      Effect: 'Allow',
      Action: keyActions,
      Resource: arn('kms:*:ACCOUNT:key/KEY-OF-THE-VOLUMES'),
      Condition: { StringLike: { 'kms:ViaService': `ec2.*.${suffix}` } },
    },
    {
      Sid: 'GrantKeysOfVolumes',
      Effect: 'Allow',
      Action: 'kms:CreateGrant',
      Resource: arn('kms:*:ACCOUNT:key/KEY-OF-THE-VOLUMES'),
      Condition: { Bool: { 'kms:GrantIsForAWSResource': 'true' } },
    },
  ];
  return { Version: '2012-10-17', Statement: [...base, ...(optional ? more : [])] };
}

/** What a launch does with the key of an encrypted volume, beside the grant to EC2. */
export const keyActions = ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncrypt*'];
