import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../page.ts';
import { cloudPlugins } from './apis.ts';

/** The service of each SDK, by the name of the SDK in the code. */
const services: Readonly<Record<string, string>> = {
  ec2: 'ec2',
  sdk: 'autoscaling',
  ssm: 'ssm',
  sqs: 'sqs',
};
/** Actions that IAM names otherwise. */
const otherNames: Readonly<Record<string, string>> = { DeleteMessageBatch: 'DeleteMessage' };

/** Every action that the plugins call, as IAM names it. */
export function actions(): string[] {
  const found = new Set<string>();
  for (const file of globSync(`plugins/{${cloudPlugins.join(',')}}/**/*.ts`, { cwd: root })) {
    for (const [, sdk, name] of readFileSync(join(root, file), 'utf8').matchAll(
      /new (?:(ec2|sdk|ssm|sqs)\.)?([A-Z]\w+)Command\(/g,
    ))
      found.add(`${services[sdk ?? ''] ?? 'sts'}:${otherNames[name ?? ''] ?? name}`);
  }
  return [...found].toSorted();
}

/** Actions on existing resources that carry our tag. */
const own = new Set([
  'ec2:TerminateInstances',
  'ec2:CreateLaunchTemplateVersion',
  'ec2:ModifyLaunchTemplate',
  'ec2:DeleteLaunchTemplate',
  'ec2:DeleteLaunchTemplateVersions',
]);

/** The policy for these actions, restricted by conditions where possible. */
export function policyFor(all: readonly string[]): object {
  const parameters = all.filter((action) => action.startsWith('ssm:'));
  const queue = all.filter((action) => action.startsWith('sqs:'));
  const looks = all.filter((action) => /:(Describe|Get)/.test(action) && !parameters.includes(action));
  const roles: readonly string[] = all.filter((action) => action === 'sts:AssumeRole');
  const makes = all.filter((action) => ![...looks, ...parameters, ...queue, ...own, ...roles].includes(action));
  const creating = ['RunInstances', 'CreateFleet', 'CreateLaunchTemplate', 'RequestSpotFleet'];
  return {
    Version: '2012-10-17',
    Statement: [
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
        Action: ['ec2:CreateTags', 'autoscaling:CreateOrUpdateTags'],
        Resource: '*',
        Condition: { StringEqualsIfExists: { 'ec2:CreateAction': creating } },
      },
      {
        Sid: 'ReadImageParameters',
        Effect: 'Allow',
        Action: parameters,
        Resource: ['arn:aws:ssm:*::parameter/aws/service/*', 'arn:aws:ssm:*:ACCOUNT:parameter/PATH-OF-YOUR-IMAGES/*'],
      },
      {
        Sid: 'ReceiveInterruptions',
        Effect: 'Allow',
        Action: queue,
        Resource: 'arn:aws:sqs:REGION:ACCOUNT:INTERRUPTION-QUEUE',
      },
      {
        Sid: 'PassRoles',
        Effect: 'Allow',
        Action: 'iam:PassRole',
        Resource: ['arn:aws:iam::ACCOUNT:role/ROLE-OF-THE-MACHINES', 'arn:aws:iam::ACCOUNT:role/ROLE-OF-SPOT-FLEETS'],
      },
      {
        Sid: 'AssumeInstanceRole',
        Effect: 'Allow',
        Action: roles,
        Resource: 'arn:aws:iam::ACCOUNT:role/ROLE-ARN-OF-THE-CONFIGURATION',
      },
    ],
  };
}
