import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { CheckedTemplate } from '../../../core/index.ts';
import { region } from '../../../plugins/cloud/catalogue/index.ts';
import { check, template } from './support.ts';

const known = region('us-east-1');
const [zoneA, zoneB] = known?.subnets ?? [];
const image = (arch: string) => known?.images.find((each) => each.arch === arch)?.image_id ?? '';
const good = { subnet_ids: [zoneA?.subnet_id, zoneB?.subnet_id], image_id: image('x86_64') };

/** Each check with a cloud that makes it fail: knobs, templates, and what is found. */
const failures: readonly (readonly [
  string,
  string,
  object,
  readonly CheckedTemplate[],
  'error' | 'warning',
  RegExp,
])[] = [
  [
    'clock',
    'a clock that is wrong',
    { auth: { clock_skew_ms: 120_000 } },
    [],
    'warning',
    /is 1\d\d s behind that of AWS\.$/,
  ],
  [
    'clock',
    'a clock whose signatures AWS refuses',
    { auth: { clock_skew_ms: -3_600_000 } },
    [],
    'warning',
    /36\d\d s ahead of that of AWS\. AWS refuses/,
  ],
  [
    'subnets',
    'a subnet that does not exist',
    { strict_ids: true },
    [template('RunInstances', { ...good, subnet_ids: ['subnet-gone'] })],
    'error',
    /^There is no subnet subnet-gone: template 'runinstances'\.$/,
  ],
  [
    'subnets',
    'a security group that does not exist',
    { strict_ids: true },
    [template('EC2Fleet', { ...good, security_group_ids: ['sg-gone'] })],
    'error',
    /^There is no security group sg-gone: template 'ec2fleet'\.$/,
  ],
  [
    'subnets',
    'one full subnet of two',
    { addresses: [{ subnet_id: zoneA?.subnet_id, count: 0 }] },
    [template('RunInstances', good)],
    'warning',
    /^Subnet subnet-\w+ \(us-east-1a\) has no free address: template 'runinstances'\.$/,
  ],
  [
    'subnets',
    'subnets that are all full',
    { addresses: [{ subnet_id: zoneA?.subnet_id, count: 0 }] },
    [template('RunInstances', { ...good, subnet_ids: [zoneA?.subnet_id] })],
    'error',
    /^Template 'runinstances': none of its subnets has a free address\.$/,
  ],
  [
    'subnets',
    'a security group of another VPC',
    { vpcs: [{ vpc_id: 'vpc-lab', security_groups: [{ group_id: 'sg-lab', group_name: 'lab' }] }] },
    [template('RunInstances', { ...good, security_group_ids: ['sg-lab'] })],
    'error',
    /security group sg-lab is in vpc-lab, and subnet subnet-\w+ in vpc-/,
  ],
  [
    'subnets',
    'an account without a default VPC, and a template without subnets',
    { default_vpc: false },
    [template('RunInstances', { ...good, subnet_ids: [] })],
    'error',
    /^There is no default VPC, and no subnet is named: template 'runinstances'\.$/,
  ],
  [
    'images',
    'an image that does not exist',
    { strict_ids: true },
    [template('RunInstances', { ...good, image_id: 'ami-0123456789abcdef0' })],
    'error',
    /ami-0123456789abcdef0.*template 'runinstances'/,
  ],
  [
    'images',
    'a parameter that does not exist',
    {},
    [template('RunInstances', { ...good, image_id: 'resolve:ssm:/missing/image' })],
    'error',
    /^The parameter '\/missing\/image'.* does not exist.*template 'runinstances'/,
  ],
  [
    'images',
    'an image for another architecture than the machine types',
    { strict_ids: true },
    [template('RunInstances', { ...good, image_id: image('arm64') })],
    'error',
    /^Template 'runinstances': image ami-\w+ is for arm64, which m5\.large, m6i\.large cannot run\.$/,
  ],
  [
    'launch-templates',
    'a launch template that does not exist',
    {},
    [template('EC2Fleet', { ...good, launch_template_id: 'lt-0123456789abcdef0' })],
    'error',
    /^Template 'ec2fleet': .*lt-0123456789abcdef0/,
  ],
  [
    'service-linked-roles',
    'Spot without its role',
    { missing_roles: ['AWSServiceRoleForEC2Spot'] },
    [template('EC2Fleet', { ...good, price_type: 'mixed' })],
    'warning',
    /^The account has no role AWSServiceRoleForEC2Spot: template 'ec2fleet'\..*iam:CreateServiceLinkedRole/,
  ],
  [
    'service-linked-roles',
    'a standing fleet without its role',
    { missing_roles: ['AWSServiceRoleForEC2Fleet'] },
    [template('EC2Fleet', { ...good, fleet_type: 'maintain' })],
    'warning',
    /AWSServiceRoleForEC2Fleet/,
  ],
  [
    'service-linked-roles',
    'a Spot fleet without its role',
    { missing_roles: ['AWSServiceRoleForEC2SpotFleet'] },
    [template('SpotFleet', good)],
    'error',
    /AWSServiceRoleForEC2SpotFleet/,
  ],
  [
    'service-linked-roles',
    'a group without its role',
    { missing_roles: ['AWSServiceRoleForAutoScaling'] },
    [template('ASG', good)],
    'warning',
    /AWSServiceRoleForAutoScaling/,
  ],
  [
    'quotas',
    'a quota below the maximum of a template',
    { service_quotas: { 'L-1216C47A': 16 } },
    [template('RunInstances', { ...good, max_instances: 20 })],
    'warning',
    /^Template 'runinstances' may need 40 vCPUs for 20 machines, and quota L-1216C47A allows 16 vCPUs \(on-demand\)\.$/,
  ],
  [
    'quotas',
    'a Spot quota of nothing',
    { service_quotas: { 'L-34B43A08': 0 } },
    [template('EC2Fleet', { ...good, price_type: 'spot' })],
    'error',
    /^Template 'ec2fleet' starts no machine of 2 vCPUs: quota L-34B43A08 allows 0 vCPUs \(spot\)\.$/,
  ],
  ...[
    ['subnets', 'DescribeSubnets'],
    ['subnets', 'DescribeSecurityGroups'],
    ['images', 'DescribeImages'],
    ['service-linked-roles', 'GetRole'],
    ['quotas', 'GetServiceQuota'],
  ].map(
    ([name = '', action = '']) =>
      [
        name,
        `no permission for ${action}`,
        { auth: { denied: [{ action }] } },
        [template('EC2Fleet', { ...good, price_type: 'spot', security_group_ids: ['sg-1'] })],
        'warning',
        new RegExp(`cannot be checked: the permission .*${action}.* is missing`),
      ] as const,
  ),
];

for (const [name, what, knobs, templates, level, message] of failures)
  test(`${name}: ${what} is ${level === 'error' ? 'an error' : 'a warning'}`, async (t) => {
    const { results } = await check(name, knobs, templates);
    t.true(
      results.some((each) => each.level === level && message.test(each.message)),
      JSON.stringify(results),
    );
    t.false(results.some((each) => each.level === 'ok'));
  });

test('in a cloud that lacks nothing every check finds nothing but what is right', async (t) => {
  const templates = [
    template('RunInstances', good),
    template('EC2Fleet', { ...good, price_type: 'mixed', max_instances: 10 }),
  ];
  for (const name of [
    'credentials',
    'clock',
    'subnets',
    'images',
    'launch-templates',
    'service-linked-roles',
    'quotas',
  ]) {
    const { results, stand } = await check(name, { strict_ids: true }, templates);
    t.deepEqual(
      results.filter(({ level }) => level !== 'ok'),
      [],
      name,
    );
    t.true(stand.simulator.audit().every(({ action }) => /^(Describe|Get)/.test(action)));
  }
});

test('credentials: keys that AWS refuses are a fault of the check', async (t) => {
  await t.throwsAsync(check('credentials', { auth: { known_keys: [] } }, []), {
    message: /AWS refused the credentials/,
  });
});

for (const [minutes, level] of [
  [2, 'error'],
  [30, 'warning'],
  [600, 'ok'],
] as const)
  test(`credentials: keys that end in ${minutes} minutes and are not renewed are ${level}`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'muster-test-keys-'));
    t.teardown(() => rm(directory, { recursive: true }));
    const end = new Date(Date.now() + minutes * 60_000).toISOString();
    const script = join(directory, 'keys');
    const keys = { Version: 1, AccessKeyId: 'AKIAX', SecretAccessKey: 's', SessionToken: 't', Expiration: end };
    await writeFile(script, `#!/bin/sh\necho '${JSON.stringify(keys)}'\n`);
    await chmod(script, 0o755);
    const own = { access_key_id: null, secret_access_key: null, credential_script: script };
    const { results } = await check('credentials', {}, [], own);
    t.is(results[0]?.level, level, JSON.stringify(results));
  });
