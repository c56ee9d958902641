import {
  CreateLaunchTemplateCommand,
  type CreateLaunchTemplateCommandInput,
  CreateLaunchTemplateVersionCommand,
  type CreateLaunchTemplateVersionCommandInput,
  DeleteLaunchTemplateVersionsCommand,
  type DeleteLaunchTemplateVersionsCommandInput,
  DescribeLaunchTemplateVersionsCommand,
  type DescribeLaunchTemplateVersionsCommandInput,
  type EC2Client,
  paginateDescribeLaunchTemplateVersions,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

const data: RequestLaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' };

const create = (ec2: EC2Client, input: Partial<CreateLaunchTemplateCommandInput> = {}) =>
  ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'pool', LaunchTemplateData: data, ...input }));

const version = (ec2: EC2Client, input: Partial<CreateLaunchTemplateVersionCommandInput> = {}) =>
  ec2.send(new CreateLaunchTemplateVersionCommand({ LaunchTemplateName: 'pool', LaunchTemplateData: data, ...input }));

const names: readonly [name: string, allowed: boolean][] = [
  ['abc', true],
  ['ab', false],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['a-b_c.d/e(f)', true],
  ['a:b:c', false],
  ['größe', false],
];
for (const [name, allowed] of names) {
  test(`a template ${allowed ? 'can' : 'cannot'} be called ${name.length > 20 ? `by ${name.length} letters` : name}`, async (t) => {
    const { ec2 } = await openCloud(t);
    const call = create(ec2, { LaunchTemplateName: name });
    if (allowed) await t.notThrowsAsync(call);
    else t.is(await codeOf(call), 'InvalidLaunchTemplateName.MalformedException');
  });
}

test('tokens of templates may have 128 characters, descriptions 255', async (t) => {
  const { ec2 } = await openCloud(t);
  await t.notThrowsAsync(create(ec2, { ClientToken: 't'.repeat(128), VersionDescription: 'd'.repeat(255) }));
  t.is(
    await codeOf(create(ec2, { LaunchTemplateName: 'other', ClientToken: 't'.repeat(129) })),
    'InvalidParameterValue',
  );
  t.is(
    await codeOf(create(ec2, { LaunchTemplateName: 'other', VersionDescription: 'd'.repeat(256) })),
    'InvalidParameterValue',
  );
  await t.notThrowsAsync(version(ec2, { ClientToken: 'v'.repeat(128) }));
  t.is(await codeOf(version(ec2, { ClientToken: 'v'.repeat(129) })), 'InvalidParameterValue');
});

const suspicious: readonly [what: string, data: RequestLaunchTemplateData, codes: string[]][] = [
  ['nothing wrong', data, []],
  ['things missing', { KeyName: 'k' }, []],
  ['an image by alias', { ImageId: 'resolve:ssm:/images/worker' }, []],
  ['a wrong image id', { ImageId: 'image' }, ['InvalidAMIID.Malformed']],
  ['an unknown type', { InstanceType: 'm9.huge' as 'm5.large' }, ['InvalidParameterValue']],
  ['user data in plain text', { UserData: '#!/bin/sh' }, ['InvalidUserData.Malformed']],
  [
    'groups beside an interface, and a wrong image id',
    { ImageId: 'image', SecurityGroupIds: ['sg-1'], NetworkInterfaces: [{ DeviceIndex: 0 }] },
    ['InvalidAMIID.Malformed', 'InvalidParameterCombination'],
  ],
  [
    'a type beside attributes',
    { InstanceType: 'm5.large', InstanceRequirements: { VCpuCount: { Min: 1 }, MemoryMiB: { Min: 1 } } },
    ['InvalidParameterCombination'],
  ],
];
for (const [what, suspect, codes] of suspicious) {
  test(`a template with ${what} is made, with ${codes.length === 0 ? 'no warning' : `the warnings ${codes.join(', ')}`}`, async (t) => {
    const { ec2 } = await openCloud(t);
    const made = await create(ec2, { LaunchTemplateData: suspect });
    t.is(made.LaunchTemplate?.LatestVersionNumber, 1);
    t.deepEqual(made.Warning?.Errors?.map((one) => one.Code) ?? [], codes);
    t.is(made.Warning === undefined, codes.length === 0);
    const next = await version(ec2, { LaunchTemplateData: suspect });
    t.deepEqual(next.Warning?.Errors?.map((one) => one.Code) ?? [], codes);
  });
}

test('quotas bound templates of a region and versions of a template', async (t) => {
  const { ec2, client, simulator } = await openCloud(t, { knobs: { quotas: { templates: 1, template_versions: 2 } } });
  await create(ec2);
  t.is(await codeOf(create(ec2, { LaunchTemplateName: 'other' })), 'MaxTemplateLimitExceeded');
  await t.notThrowsAsync(create(client({ region: 'eu-west-1' })));
  await version(ec2);
  t.is(await codeOf(version(ec2)), 'MaxTemplateVersionLimitExceeded');
  await ec2.send(new DeleteLaunchTemplateVersionsCommand({ LaunchTemplateName: 'pool', Versions: ['2'] }));
  await t.notThrowsAsync(version(ec2));
  simulator.setKnobs({ quotas: { templates: null, template_versions: null } });
  await t.notThrowsAsync(create(ec2, { LaunchTemplateName: 'other' }));
  await t.notThrowsAsync(version(ec2));
});

test('a source version gives what the new one does not say, parameter by parameter and not deeper', async (t) => {
  const { ec2 } = await openCloud(t);
  await create(ec2, {
    LaunchTemplateData: {
      ...data,
      KeyName: 'key',
      MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2 },
    },
  });
  const made = await version(ec2, {
    SourceVersion: '1',
    LaunchTemplateData: { MetadataOptions: { HttpEndpoint: 'enabled' } },
  });
  t.like(made.LaunchTemplateVersion?.LaunchTemplateData, { ...data, KeyName: 'key' });
  t.deepEqual(made.LaunchTemplateVersion?.LaunchTemplateData?.MetadataOptions, { HttpEndpoint: 'enabled' });
  const without = await version(ec2, { LaunchTemplateData: { KeyName: 'other' } });
  t.deepEqual(without.LaunchTemplateVersion?.LaunchTemplateData, { KeyName: 'other' });
  t.is(await codeOf(version(ec2, { SourceVersion: '9' })), 'InvalidLaunchTemplateId.VersionNotFound');
  const copy = await version(ec2, { SourceVersion: '1', LaunchTemplateData: {} });
  t.is(copy.LaunchTemplateVersion?.LaunchTemplateData?.KeyName, 'key');
});

test('an alias of an image is shown as it is, or resolved to what a launch gets', async (t) => {
  const { ec2 } = await openCloud(t);
  const alias = 'resolve:ssm:/images/worker';
  await create(ec2, { LaunchTemplateData: { ...data, ImageId: alias } });
  const show = async (ResolveAlias?: boolean) =>
    (await list(ec2, { LaunchTemplateName: 'pool', ResolveAlias }))[0]?.LaunchTemplateData?.ImageId;
  const { Instances } = await ec2.send(launch({ ImageId: undefined, LaunchTemplate: { LaunchTemplateName: 'pool' } }));
  t.is(await show(), alias);
  t.is(await show(false), alias);
  t.is(await show(true), Instances?.[0]?.ImageId);
  const made = await version(ec2, { SourceVersion: '1', ResolveAlias: true });
  t.is(made.LaunchTemplateVersion?.LaunchTemplateData?.ImageId, 'ami-1');
  const copy = await version(ec2, { LaunchTemplateData: { ImageId: alias }, ResolveAlias: true });
  t.is(copy.LaunchTemplateVersion?.LaunchTemplateData?.ImageId, Instances?.[0]?.ImageId);
});

const unfound: readonly [what: string, input: Partial<DeleteLaunchTemplateVersionsCommandInput>, code: string][] = [
  ['of an unknown template', { LaunchTemplateId: 'lt-0123456789abcdef0' }, 'launchTemplateIdDoesNotExist'],
  ['of a malformed id', { LaunchTemplateId: 'template' }, 'launchTemplateIdMalformed'],
  ['of an unknown name', { LaunchTemplateName: 'nobody' }, 'launchTemplateNameDoesNotExist'],
];
for (const [what, input, code] of unfound) {
  test(`versions ${what} fail one by one with ${code}`, async (t) => {
    const { ec2 } = await openCloud(t);
    const result = await ec2.send(new DeleteLaunchTemplateVersionsCommand({ ...input, Versions: ['1', '2'] }));
    t.deepEqual(result.SuccessfullyDeletedLaunchTemplateVersions, []);
    t.deepEqual(
      result.UnsuccessfullyDeletedLaunchTemplateVersions?.map((one) => [
        one.VersionNumber,
        one.ResponseError?.Code as string,
      ]),
      [
        [1, code],
        [2, code],
      ],
    );
  });
}

test('a call to delete versions has bounds', async (t) => {
  const { ec2 } = await openCloud(t);
  await create(ec2);
  const remove = (Versions: string[], more = {}) =>
    ec2.send(new DeleteLaunchTemplateVersionsCommand({ LaunchTemplateName: 'pool', Versions, ...more }));
  t.is(await codeOf(remove(Array.from({ length: 201 }, (_, n) => `${n}`))), 'InvalidParameterValue');
  t.is(await codeOf(remove([])), 'MissingParameter');
  t.is(await codeOf(remove(['1'], { LaunchTemplateId: 'lt-0123456789abcdef0' })), 'InvalidParameterCombination');
});

test('versions are shown newest first, by numbers, by bounds, and in pages', async (t) => {
  const { ec2 } = await openCloud(t);
  await create(ec2);
  for (let n = 0; n < 4; n++) await version(ec2, { VersionDescription: `${n}` });
  const show = async (input: DescribeLaunchTemplateVersionsCommandInput) =>
    (await list(ec2, { LaunchTemplateName: 'pool', ...input })).map((one) => one.VersionNumber);
  t.deepEqual(await show({}), [5, 4, 3, 2, 1]);
  t.deepEqual(await show({ MinVersion: '2', MaxVersion: '4' }), [4, 3, 2]);
  t.deepEqual(await show({ Versions: ['2', '$Default', '$Latest', '2'] }), [2, 1, 5]);
  t.deepEqual(await show({ Filters: [{ Name: 'is-default-version', Values: ['true'] }] }), [1]);
  t.deepEqual(await show({ Versions: ['1', '2', '3'], MaxResults: 2 }), [1, 2]);
  const numbers: (number | undefined)[] = [];
  for await (const page of paginateDescribeLaunchTemplateVersions(
    { client: ec2, pageSize: 2 },
    { LaunchTemplateName: 'pool' },
  )) {
    numbers.push(...(page.LaunchTemplateVersions?.map((one) => one.VersionNumber) ?? []));
  }
  t.deepEqual(numbers, [5, 4, 3, 2, 1]);
});

const refused: readonly [what: string, input: DescribeLaunchTemplateVersionsCommandInput, code: string][] = [
  [
    'versions and bounds',
    { LaunchTemplateName: 'pool', Versions: ['1'], MinVersion: '1' },
    'InvalidParameterCombination',
  ],
  [
    'id and name',
    { LaunchTemplateName: 'pool', LaunchTemplateId: 'lt-0123456789abcdef0' },
    'InvalidParameterCombination',
  ],
  ['numbers without a template', { Versions: ['1'] }, 'InvalidParameterValue'],
  ['nothing', {}, 'MissingParameter'],
  ['an unknown version', { LaunchTemplateName: 'pool', Versions: ['7'] }, 'InvalidLaunchTemplateId.VersionNotFound'],
  ['a page of 201', { LaunchTemplateName: 'pool', MaxResults: 201 }, 'InvalidParameterValue'],
  [
    'an unknown filter',
    { LaunchTemplateName: 'pool', Filters: [{ Name: 'colour', Values: ['red'] }] },
    'InvalidParameterValue',
  ],
];
for (const [what, input, code] of refused) {
  test(`DescribeLaunchTemplateVersions with ${what} is refused with ${code}`, async (t) => {
    const { ec2 } = await openCloud(t);
    await create(ec2);
    t.is(await codeOf(list(ec2, input)), code);
  });
}

async function list(ec2: EC2Client, input: DescribeLaunchTemplateVersionsCommandInput) {
  return (await ec2.send(new DescribeLaunchTemplateVersionsCommand(input))).LaunchTemplateVersions ?? [];
}
