import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  DeleteLaunchTemplateCommand,
  DeleteLaunchTemplateVersionsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
  ModifyLaunchTemplateCommand,
  paginateDescribeLaunchTemplates,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, launch, openCloud } from './support.ts';

const data: RequestLaunchTemplateData = {
  ImageId: 'ami-1',
  InstanceType: 't3.micro',
  KeyName: 'key',
  UserData: Buffer.from('#!/bin/sh').toString('base64'),
  NetworkInterfaces: [
    { DeviceIndex: 0, SubnetId: 'subnet-1', Groups: ['sg-1', 'sg-2'], AssociatePublicIpAddress: true },
  ],
  BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20, VolumeType: 'gp3' } }],
  MetadataOptions: { HttpTokens: 'required' },
  TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'from', Value: 'template' }] }],
};

const create = async (ec2: EC2Client, name = 'pool', extra = {}) =>
  (await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData: data, ...extra })))
    .LaunchTemplate;

test('a template comes back with the data it was made of', async (t) => {
  const { ec2 } = await openCloud(t);
  const template = await create(ec2, 'pool', {
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: [{ Key: 'a', Value: 'b' }] }],
  });
  t.is(template?.LatestVersionNumber, 1);
  const { LaunchTemplates } = await ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['pool'] }));
  t.is(LaunchTemplates?.[0]?.LaunchTemplateId, template?.LaunchTemplateId);
  t.deepEqual(LaunchTemplates?.[0]?.Tags, [{ Key: 'a', Value: 'b' }]);
  const { LaunchTemplateVersions } = await ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName: 'pool' }),
  );
  t.like(LaunchTemplateVersions?.[0], { VersionNumber: 1, DefaultVersion: true });
  t.like(LaunchTemplateVersions?.[0]?.LaunchTemplateData, data);
});

test('a launch takes the data of the template, joins its tags, and lets the call decide', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const template = await create(ec2);
  const { Instances } = await ec2.send(
    launch({
      ImageId: undefined,
      InstanceType: 'm5.large',
      LaunchTemplate: { LaunchTemplateId: template?.LaunchTemplateId, Version: '1' },
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'of', Value: 'call' }] }],
    }),
  );
  const [machine] = Instances ?? [];
  t.like(machine, { ImageId: 'ami-1', InstanceType: 'm5.large', KeyName: 'key', SubnetId: 'subnet-1' });
  t.is(machine?.MetadataOptions?.HttpTokens, 'required');
  t.deepEqual(
    machine?.SecurityGroups?.map((group) => group.GroupId),
    ['sg-1', 'sg-2'],
  );
  t.deepEqual(machine?.Tags, [
    { Key: 'from', Value: 'template' },
    { Key: 'of', Value: 'call' },
    { Key: 'aws:ec2launchtemplate:id', Value: template?.LaunchTemplateId },
    { Key: 'aws:ec2launchtemplate:version', Value: '1' },
  ]);
  t.deepEqual(simulator.ledger().templates, [template?.LaunchTemplateId]);
});

test('versions are numbered by the cloud; $Latest, $Default and numbers resolve', async (t) => {
  const { ec2 } = await openCloud(t);
  const LaunchTemplateId = (await create(ec2))?.LaunchTemplateId;
  const version = (LaunchTemplateData: RequestLaunchTemplateData, SourceVersion?: string) =>
    ec2.send(new CreateLaunchTemplateVersionCommand({ LaunchTemplateId, LaunchTemplateData, SourceVersion }));
  const second = await version({ InstanceType: 'm5.large' }, '1');
  t.is(second.LaunchTemplateVersion?.VersionNumber, 2);
  t.like(second.LaunchTemplateVersion?.LaunchTemplateData, { ImageId: 'ami-1', InstanceType: 'm5.large' });
  await version({ ImageId: 'ami-3', InstanceType: 'c5.large' });

  const typeOf = async (Version: string | undefined) =>
    (
      await ec2.send(
        launch({ ImageId: undefined, InstanceType: undefined, LaunchTemplate: { LaunchTemplateId, Version } }),
      )
    ).Instances?.[0]?.InstanceType;
  t.deepEqual(
    [await typeOf('$Latest'), await typeOf('$Default'), await typeOf(undefined), await typeOf('2')],
    ['c5.large', 't3.micro', 't3.micro', 'm5.large'],
  );
  t.is(await codeOf(typeOf('9')), 'InvalidLaunchTemplateId.VersionNotFound');

  await ec2.send(new ModifyLaunchTemplateCommand({ LaunchTemplateId, DefaultVersion: '2' }));
  t.is(await typeOf('$Default'), 'm5.large');
  const shown = await ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId, Versions: ['$Latest', '$Default', '1'] }),
  );
  t.deepEqual(
    shown.LaunchTemplateVersions?.map((one) => one.VersionNumber),
    [3, 2, 1],
  );
  const all = await ec2.send(new DescribeLaunchTemplateVersionsCommand({ Versions: ['$Latest'] }));
  t.is(all.LaunchTemplateVersions?.[0]?.VersionNumber, 3);
});

test('versions are deleted one by one; the default stays, and no number comes twice', async (t) => {
  const { ec2 } = await openCloud(t);
  const LaunchTemplateId = (await create(ec2))?.LaunchTemplateId;
  const another = () =>
    ec2.send(new CreateLaunchTemplateVersionCommand({ LaunchTemplateId, LaunchTemplateData: data }));
  await another();
  await another();
  const result = await ec2.send(
    new DeleteLaunchTemplateVersionsCommand({ LaunchTemplateId, Versions: ['1', '3', '7'] }),
  );
  t.deepEqual(
    result.SuccessfullyDeletedLaunchTemplateVersions?.map((one) => one.VersionNumber),
    [3],
  );
  t.deepEqual(
    result.UnsuccessfullyDeletedLaunchTemplateVersions?.map((one) => [
      one.VersionNumber,
      one.ResponseError?.Code as string,
    ]),
    [
      [1, 'unexpectedError'],
      [7, 'launchTemplateVersionDoesNotExist'],
    ],
  );
  t.is((await another()).LaunchTemplateVersion?.VersionNumber, 4);
});

test('a name is taken once; a replayed token gives the template again', async (t) => {
  const { ec2 } = await openCloud(t);
  const first = await create(ec2, 'pool', { ClientToken: 'one' });
  const again = await create(ec2, 'pool', { ClientToken: 'one' });
  t.is(again?.LaunchTemplateId, first?.LaunchTemplateId);
  t.is(await codeOf(create(ec2, 'pool', { ClientToken: 'two' })), 'InvalidLaunchTemplateName.AlreadyExistsException');
  t.is(await codeOf(create(ec2, 'other', { ClientToken: 'one' })), 'IdempotentParameterMismatch');
  t.is(await codeOf(create(ec2, 'a b')), 'InvalidLaunchTemplateName.MalformedException');
  const id = first?.LaunchTemplateId;
  const version = () =>
    ec2.send(
      new CreateLaunchTemplateVersionCommand({ LaunchTemplateId: id, LaunchTemplateData: data, ClientToken: 'v' }),
    );
  t.is((await version()).LaunchTemplateVersion?.VersionNumber, (await version()).LaunchTemplateVersion?.VersionNumber);
});

test('a deleted template is gone under id and name, its machines live on', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const LaunchTemplateId = (await create(ec2))?.LaunchTemplateId;
  await ec2.send(launch({ LaunchTemplate: { LaunchTemplateId }, NetworkInterfaces: undefined }));
  await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId }));
  t.is(
    await codeOf(ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId }))),
    'InvalidLaunchTemplateId.NotFound',
  );
  t.is(
    await codeOf(ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['pool'] }))),
    'InvalidLaunchTemplateName.NotFoundException',
  );
  t.is(
    await codeOf(ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateIds: ['pool'] }))),
    'InvalidLaunchTemplateId.Malformed',
  );
  t.is(simulator.ledger().untagged.length, 1);
  t.deepEqual(simulator.ledger().templates, []);
});

test('templates are listed in pages', async (t) => {
  const { ec2 } = await openCloud(t);
  for (const name of ['one', 'two', 'three']) await create(ec2, name);
  const names: (string | undefined)[] = [];
  for await (const page of paginateDescribeLaunchTemplates({ client: ec2, pageSize: 2 }, {})) {
    names.push(...(page.LaunchTemplates?.map((one) => one.LaunchTemplateName) ?? []));
  }
  t.deepEqual(names, ['one', 'two', 'three']);
  t.is(await codeOf(ec2.send(new DescribeLaunchTemplatesCommand({ MaxResults: 201 }))), 'InvalidParameterValue');
});
