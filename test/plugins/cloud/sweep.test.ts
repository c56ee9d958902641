import { CreateLaunchTemplateCommand, RunInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import type { OwnedResource } from '../../../core/index.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { stage, type Stage } from './support.ts';

const tagsOf = (installation: string) =>
  Object.entries({ 'muster:installation': installation, 'muster:request-id': 'req-1', 'muster:attempt': '2' }).map(([Key, Value]) => ({
    Key,
    Value,
  }));

/** A machine and a launch template of an installation. */
async function leave({ session, call }: Stage, installation: string): Promise<void> {
  const Tags = tagsOf(installation);
  await session.write(
    () =>
      new RunInstancesCommand({
        ImageId: 'ami-1',
        InstanceType: 't3.micro',
        MinCount: 1,
        MaxCount: 1,
        TagSpecifications: [{ ResourceType: 'instance', Tags }],
      }),
    call,
  );
  const TagSpecifications = [{ ResourceType: 'launch-template', Tags } as const];
  const LaunchTemplateData = { ImageId: 'ami-1' };
  await session.write(
    () => new CreateLaunchTemplateCommand({ LaunchTemplateName: `left-by-${installation}`, LaunchTemplateData, TagSpecifications }),
    call,
  );
}

async function listed({ session, call }: Stage): Promise<OwnedResource[]> {
  return Array.fromAsync(cloud.owned?.(session, 'inst-1', call) ?? []);
}

test('what carries the tag of this installation is listed with its request, attempt and age, and nothing else is', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  await leave(stand, 'inst-1');
  await leave(stand, 'inst-2');
  const found = await listed(stand);
  t.deepEqual(
    found.map(({ kind, request_id, attempt }) => ({ kind, request_id, attempt })),
    [
      { kind: 'machine', request_id: 'req-1', attempt: 2 },
      { kind: 'launch_template', request_id: 'req-1', attempt: 2 },
    ],
  );
  t.true(found.every(({ created_at }) => created_at !== undefined));
});

test('orphans are ended, also when they are gone already, and nothing of another installation goes', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  await leave(stand, 'inst-1');
  await leave(stand, 'inst-2');
  const orphans = await listed(stand);
  for (let time = 0; time < 2; time++) await cloud.remove?.(stand.session, orphans, stand.call);
  const { untagged, live, templates } = stand.simulator.ledger();
  t.deepEqual([untagged.length, live['req-1']?.length, templates.length], [0, 1, 1]);
});
