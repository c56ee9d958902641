import { regionNames } from '../../../plugins/cloud/connection/region-names.ts';
import { partitionOf } from '../../../plugins/cloud-simulator/state/sessions.ts';
import { generated } from '../page.ts';
import { tableOf } from './apis.ts';
import { actions, apiNames, type ApiName, keyActions, policyFor } from './policy.ts';

/** A service-linked role. */
interface LinkedRole {
  readonly role: string;
  readonly service: string;
  readonly neededBy: string;
  /** It starts machines itself, so that it needs the keys of encrypted volumes. */
  readonly launches: string;
}

const linkedRoles: readonly LinkedRole[] = [
  {
    role: 'AWSServiceRoleForEC2Spot',
    service: 'spot.amazonaws.com',
    neededBy: 'Spot machines, through every API',
    launches: 'Spot machines',
  },
  {
    role: 'AWSServiceRoleForEC2Fleet',
    service: 'ec2fleet.amazonaws.com',
    neededBy: 'EC2Fleet with `fleet_type: request` or `maintain`',
    launches: 'machines of these fleets',
  },
  {
    role: 'AWSServiceRoleForEC2SpotFleet',
    service: 'spotfleet.amazonaws.com',
    neededBy: 'SpotFleet, unless `fleet_role` or `service_role_spot_fleet` names another role',
    launches: 'machines of these fleets',
  },
  {
    role: 'AWSServiceRoleForAutoScaling',
    service: 'autoscaling.amazonaws.com',
    neededBy: 'ASG',
    launches: 'machines of groups',
  },
];

const options: readonly (readonly [statement: string, neededWith: string])[] = [
  ['PassRoleToMachines', '`instance_profile` in a template, or a profile in a launch template that it names'],
  [
    'ReadImageParameters',
    '`image_id: resolve:ssm:…`; a SecureString also needs `kms:Decrypt` for the key of the parameter',
  ],
  ['TagWithOwnId', '`tag_instance_id` in the configuration'],
  ['AssumeInstanceRole', '`role_arn` in the configuration; the other statements then belong to that role'],
  ['UseKeysOfVolumes, GrantKeysOfVolumes', 'volumes or images that are encrypted with a key of your own'],
];

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;

const titles: Readonly<Record<ApiName, string>> = {
  RunInstances: 'The caller starts the machines.',
  EC2Fleet:
    'An `instant` fleet starts machines as the caller; `request` and `maintain` start them as AWSServiceRoleForEC2Fleet.',
  SpotFleet: 'The fleet starts machines as its role, which the caller passes to it.',
  ASG: 'AWS checks `ec2:RunInstances` of the caller when the group is created; the group starts machines as AWSServiceRoleForAutoScaling.',
};

/** The page of all permissions, from the calls in the code. */
export function iamPage(): string {
  return [
    '# Permissions in AWS\n',
    `${generated('cloud', 'the calls in the code')}\n`,
    'Replace ACCOUNT and the other words in capitals. Each policy below is complete for one API; [the guide](../guides/aws.md#required-permissions) has the policy for all of them. A template whose launch lacks a permission fails alone, with the code `UnauthorizedOperation` or `AccessDenied`; the log of muster contains the whole encoded authorization message, which `aws sts decode-authorization-message` decodes for whoever has `sts:DecodeAuthorizationMessage`.\n',
    '## Actions by API\n',
    tableOf(
      ['Action', ...apiNames],
      [...actions(), 'iam:CreateServiceLinkedRole'].map((action) => [
        `\`${action}\``,
        ...apiNames.map((api) => (isNeeded(action, api) ? 'yes' : '–')),
      ]),
    ),
    '## Policies by API\n',
    ...apiNames.map((api) => `### ${api}\n\n${titles[api]}\n\n${json(policyFor([api], { optional: false }))}`),
    '## Statements for options\n',
    tableOf(
      ['Statement', 'Needed with'],
      options.map(([statement, neededWith]) => [statement, neededWith]),
    ),
    json({ Statement: optionStatements() }),
    '## The role that muster assumes\n',
    'With `role_arn`, the role needs the policies above, and a trust policy that names the caller. `role_external_id` must equal the `sts:ExternalId` of the condition; leave the condition out if you set none. `role_duration` must not exceed the maximum session duration of the role, and one hour if the caller is a role itself.\n',
    json({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: 'arn:aws:iam::ACCOUNT:role/CALLER' },
          Action: 'sts:AssumeRole',
          Condition: { StringEquals: { 'sts:ExternalId': 'EXTERNAL-ID' } },
        },
      ],
    }),
    '## Service-linked roles\n',
    'AWS creates a service-linked role at its first use, if the caller has `iam:CreateServiceLinkedRole`; otherwise an administrator creates it once in the account. Without the role of Spot, Spot machines are refused with `AuthFailure.ServiceLinkedRoleCreationNotPermitted`, and On-Demand machines still start.\n',
    tableOf(
      ['Role', 'Needed by', 'Creates it'],
      linkedRoles.map(({ role, service, neededBy }) => [
        role,
        neededBy,
        `\`aws iam create-service-linked-role --aws-service-name ${service}\``,
      ]),
    ),
    '## Keys of encrypted volumes\n',
    'A machine whose volume or image is encrypted with a key of your own starts only if the identity that starts it may use the key. Otherwise the machine ends at once with the state reason `Client.InternalError`. Who starts the machine depends on the API:\n',
    tableOf(
      ['Machines of', 'Started by', 'Permission'],
      [
        [
          'RunInstances, EC2Fleet `instant`',
          'the caller',
          `${[...keyActions, 'kms:CreateGrant'].map((action) => `\`${action}\``).join(', ')} (the two statements above)`,
        ],
        ...linkedRoles.map(({ role, launches }) => [launches, role, 'a grant, or the key policy']),
      ],
    ),
    'A service-linked role cannot be edited, so the key has to allow it, by a grant for each role that is needed:\n',
    `\`\`\`sh\n${linkedRoles.map(grantOf).join('\n')}\n\`\`\`\n`,
    'The grant is made in the region and the account of the key. For a key of another account, the policy of the key must also allow this account. AWS-managed keys (`aws/ebs`) need nothing.\n',
    '## Partitions\n',
    'ARNs in the policies name the partition. muster takes it from the ARN of its own identity.\n',
    tableOf(
      ['Partition', 'Regions', 'ARNs begin with', '`iam:PassedToService` and `kms:ViaService` end in'],
      [...Map.groupBy(regionNames, partitionOf)].map(([partition, regions]) => [
        partition,
        partition === 'aws' ? 'all others' : regions.join(', '),
        `\`arn:${partition}:\``,
        partition === 'aws-cn' ? '`amazonaws.com.cn`' : '`amazonaws.com`',
      ]),
    ),
    'For China, for example, the policy of RunInstances with its options is:\n',
    json(policyFor(['RunInstances'], { partition: 'aws-cn' })),
  ].join('\n');
}

function isNeeded(action: string, api: ApiName): boolean {
  const { Statement } = policyFor([api]) as { Statement: { Action: string | string[] }[] };
  return Statement.some(({ Action }) => [Action].flat().includes(action));
}

const optionStatements = (): readonly object[] => {
  const named = new Set(options.flatMap(([statement]) => statement.split(', ')));
  return (policyFor() as { Statement: { Sid: string }[] }).Statement.filter(({ Sid }) => named.has(Sid));
};

const grantOf = ({ role, service }: LinkedRole): string =>
  `aws kms create-grant --key-id KEY --grantee-principal \\\n  arn:aws:iam::ACCOUNT:role/aws-service-role/${service}/${role} \\\n  --operations Decrypt Encrypt GenerateDataKey GenerateDataKeyWithoutPlaintext CreateGrant DescribeKey \\\n  ReEncryptFrom ReEncryptTo`;
