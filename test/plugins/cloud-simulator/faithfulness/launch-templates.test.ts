// What other emulators of EC2 are known to get wrong about launch templates, right here.
import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  DeleteLaunchTemplateCommand,
  DeleteLaunchTemplateVersionsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
  ModifyLaunchTemplateCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, openCloud } from '../support.ts';

const LaunchTemplateName = 'one';
const create = (token: string, type: 't3.micro' | 't3.small' = 't3.micro') =>
  new CreateLaunchTemplateCommand({
    LaunchTemplateName,
    ClientToken: token,
    LaunchTemplateData: { ImageId: 'ami-1', InstanceType: type },
  });
const addVersion = (token: string, SourceVersion?: string) =>
  new CreateLaunchTemplateVersionCommand({
    LaunchTemplateName,
    ClientToken: token,
    SourceVersion,
    LaunchTemplateData: { InstanceType: 'm5.large' },
  });
const versions = async (ec2: EC2Client, Versions?: string[]) =>
  (await ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName, Versions })))
    .LaunchTemplateVersions ?? [];

test('a replayed creation is the first template; another one of that name exists already', async (t) => {
  const { ec2 } = await openCloud(t);
  const first = await ec2.send(create('a'));
  t.is((await ec2.send(create('a'))).LaunchTemplate?.LaunchTemplateId, first.LaunchTemplate?.LaunchTemplateId);
  t.is(await codeOf(ec2.send(create('b'))), 'InvalidLaunchTemplateName.AlreadyExistsException');
  t.is(await codeOf(ec2.send(create('a', 't3.small'))), 'IdempotentParameterMismatch');
});

test('a replayed version is the first one', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(create('a'));
  const numbers = [];
  for (const token of ['v', 'v', 'w'])
    numbers.push((await ec2.send(addVersion(token))).LaunchTemplateVersion?.VersionNumber);
  t.deepEqual(numbers, [2, 2, 3]);
});

test('a version takes over from its source what it does not say itself', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(create('a'));
  await ec2.send(addVersion('v', '1'));
  await ec2.send(addVersion('w'));
  t.like((await versions(ec2, ['2']))[0]?.LaunchTemplateData, { ImageId: 'ami-1', InstanceType: 'm5.large' });
  t.is((await versions(ec2, ['3']))[0]?.LaunchTemplateData?.ImageId, undefined);
});

test('one version is the default, and it can be changed', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(create('a'));
  await ec2.send(addVersion('v'));
  const defaults = async () =>
    (await versions(ec2)).filter((one) => one.DefaultVersion).map((one) => one.VersionNumber);
  t.deepEqual(await defaults(), [1]);
  await ec2.send(new ModifyLaunchTemplateCommand({ LaunchTemplateName, DefaultVersion: '2' }));
  t.deepEqual(await defaults(), [2]);
});

test('versions are deleted one by one, each with its own result, but never the default one', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(create('a'));
  await ec2.send(addVersion('v'));
  const result = await ec2.send(
    new DeleteLaunchTemplateVersionsCommand({ LaunchTemplateName, Versions: ['1', '2', '9'] }),
  );
  t.deepEqual(
    result.SuccessfullyDeletedLaunchTemplateVersions?.map((one) => one.VersionNumber),
    [2],
  );
  t.deepEqual(
    result.UnsuccessfullyDeletedLaunchTemplateVersions?.map((one) => [one.VersionNumber, one.ResponseError?.Code]),
    [
      [1, 'unexpectedError'],
      [9, 'launchTemplateVersionDoesNotExist'],
    ],
  );
});

test('a template that is not there is told, also the second time it is deleted', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(create('a'));
  await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName }));
  t.is(
    await codeOf(ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName }))),
    'InvalidLaunchTemplateName.NotFoundException',
  );
  t.is(
    await codeOf(ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateIds: ['lt-0123456789abcdef0'] }))),
    'InvalidLaunchTemplateId.NotFound',
  );
});
