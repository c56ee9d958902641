import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  DescribeInstanceStatusCommand,
  type EC2Client,
  type RunInstancesCommandInput,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import fc from 'fast-check';
import { codeOf, launch, openCloud, refusal } from './support.ts';
import { tries } from '../../support/variants.ts';

const tagged = (Value: string) => ({
  TagSpecifications: [{ ResourceType: 'instance' as const, Tags: [{ Key: 'muster:request-id', Value }] }],
});
const out = { outages: [{ zone: 'us-east-1a' }] };

test('a launch into a zone that does not answer fails as a whole, and its token is free for another try', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: out });
  const input = { Placement: { AvailabilityZone: 'us-east-1a' }, ClientToken: 'one', MaxCount: 2 };
  t.like(await refusal(ec2.send(launch(input))), { code: 'Unavailable', status: 503 });
  t.is(simulator.ledger().untagged.length, 0);
  simulator.setKnobs({ outages: [] });
  t.is((await ec2.send(launch(input))).Instances?.length, 2);
});

test('a launch that names no zone goes to one that answers', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { outages: [{ zone: '*a' }, { zone: '*b' }] } });
  for (let n = 0; n < 3; n++) {
    const { Instances } = await ec2.send(launch());
    t.notRegex(Instances?.[0]?.Placement?.AvailabilityZone ?? '', /[ab]$/);
  }
});

test('for a fleet the zone is a pool that failed', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: out });
  const { LaunchTemplate } = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'pool',
      LaunchTemplateData: { ImageId: 'ami-1', InstanceType: 'm5.large' },
    }),
  );
  const fleet = await ec2.send(
    new CreateFleetCommand({
      Type: 'instant',
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateId: LaunchTemplate?.LaunchTemplateId, Version: '1' },
          Overrides: [{ AvailabilityZone: 'us-east-1a' }, { AvailabilityZone: 'us-east-1b' }],
        },
      ],
      TargetCapacitySpecification: { TotalTargetCapacity: 2, DefaultTargetCapacityType: 'on-demand' },
    }),
  );
  t.deepEqual(
    fleet.Errors?.map((error) => [error.ErrorCode, error.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone]),
    [['Unavailable', 'us-east-1a']],
  );
  t.is(fleet.Instances?.flatMap((one) => one.InstanceIds ?? []).length, 2);
});

test('calls that touch the zone, or might, fail; those that are pinned elsewhere work', async (t) => {
  const { ec2, simulator, here, there } = await twoZones(t);
  simulator.setKnobs(out);
  const by = (...filters: [name: string, value: string][]): DescribeInstancesCommandInput => ({
    Filters: filters.map(([Name, value]) => ({ Name, Values: [value] })),
  });
  const failing: readonly DescribeInstancesCommandInput[] = [
    {},
    { InstanceIds: [here] },
    { InstanceIds: [there, here] },
    by(['availability-zone', 'us-east-1a']),
    by(['availability-zone', 'us-east-1*']),
    by(['tag:muster:request-id', 'req-here']),
    by(['tag-key', 'muster:request-id']),
    by(['instance-id', here]),
    by(['instance-state-name', 'running']),
  ];
  const working: readonly [DescribeInstancesCommandInput, string[]][] = [
    [{ InstanceIds: [there] }, [there]],
    [by(['availability-zone', 'us-east-1b']), [there]],
    [by(['availability-zone', 'us-east-1b'], ['instance-state-name', 'running']), [there]],
    [by(['tag:muster:request-id', 'req-there']), [there]],
    [by(['instance-id', there]), [there]],
    [by(['tag:muster:request-id', 'req-none']), []],
  ];
  for (const input of failing)
    t.like(await refusal(list(ec2, input)), { code: 'Unavailable', status: 503 }, JSON.stringify(input));
  for (const [input, ids] of working) t.deepEqual(await list(ec2, input), ids, JSON.stringify(input));
  const { Filters = [] } = by(['availability-zone', 'us-east-1b']);
  t.is((await ec2.send(new DescribeInstanceStatusCommand({ Filters }))).InstanceStatuses?.length, 1);
  t.is(await codeOf(ec2.send(new DescribeInstanceStatusCommand({}))), 'Unavailable');
  t.is(await codeOf(ec2.send(new DescribeInstanceStatusCommand({ InstanceIds: [here] }))), 'Unavailable');

  simulator.setKnobs({ outages: [] });
  for (const input of failing) await t.notThrowsAsync(list(ec2, input), JSON.stringify(input));
});

test('a call that might mean machines of the zone fails even if there are none', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await ec2.send(launch({ Placement: { AvailabilityZone: 'us-east-1b' } }));
  simulator.setKnobs(out);
  const zone = (...Values: string[]) => list(ec2, { Filters: [{ Name: 'availability-zone', Values }] });
  t.is(await codeOf(list(ec2, {})), 'Unavailable');
  t.is(await codeOf(list(ec2, { Filters: [{ Name: 'instance-type', Values: ['t3.micro'] }] })), 'Unavailable');
  t.is(await codeOf(zone('us-east-1a', 'us-east-1b')), 'Unavailable');
  t.is((await zone('us-east-1b', 'us-east-1c')).length, 1);
});

test('an outage of another region, or one that is over, is none', async (t) => {
  const { ec2, simulator } = await twoZones(t);
  simulator.setKnobs({ outages: [{ zone: 'us-east-1a', region: 'eu-west-1' }] });
  t.is((await list(ec2, {})).length, 2);
  simulator.setKnobs({ outages: [{ zone: 'us-east-1a', until_ms: 5000 }] });
  t.is(await codeOf(list(ec2, {})), 'Unavailable');
  simulator.advance(5000);
  t.is((await list(ec2, {})).length, 2);
});

test('a call that would end a machine there ends none', async (t) => {
  const { ec2, simulator, here, there } = await twoZones(t);
  simulator.setKnobs(out);
  const end = (...InstanceIds: string[]) => ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  t.like(await refusal(end(there, here)), { code: 'Unavailable', status: 503 });
  t.deepEqual(Object.keys(simulator.ledger().live), ['req-here', 'req-there']);
  await end(there);
  t.deepEqual(Object.keys(simulator.ledger().live), ['req-here']);
});

test('during an outage every answer is the one of a healthy cloud and holds no machine of the zone, or there is none', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
  const owner = new Map<string, string>();
  for (const [n, AvailabilityZone] of [...zones, ...zones].entries()) {
    const { Instances } = await ec2.send(launch({ ...tagged(`req-${n}`), Placement: { AvailabilityZone } }));
    owner.set(Instances?.[0]?.InstanceId ?? '', AvailabilityZone);
  }
  simulator.advance(2000);
  const ids = [...owner.keys()];
  const filter = fc.oneof(
    fc.record({
      Name: fc.constant('availability-zone'),
      Values: fc.subarray([...zones, 'us-east-1*'], { minLength: 1 }),
    }),
    fc.record({ Name: fc.constant('instance-id'), Values: fc.subarray(ids, { minLength: 1 }) }),
    fc.record({
      Name: fc.constant('tag:muster:request-id'),
      Values: fc.subarray(['req-0', 'req-1', 'req-2', 'req-9'], { minLength: 1 }),
    }),
    fc.record({ Name: fc.constant('instance-state-name'), Values: fc.constant<string[]>(['running']) }),
  );
  const asked = fc.record({
    out: fc.subarray(zones),
    Filters: fc.array(filter, { maxLength: 2 }),
    ids: fc.subarray(ids),
    byId: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ out: dead, Filters, ids: named, byId }) => {
      const input = byId ? { InstanceIds: named } : { Filters };
      simulator.setKnobs({ outages: [] });
      const healthy = await list(ec2, input);
      simulator.setKnobs({ outages: dead.map((zone) => ({ zone })) });
      const seen = await list(ec2, input).catch((error: Error) => error.name);
      const touched = healthy.some((id) => dead.includes(owner.get(id) ?? ''));
      const pinned = byId ? named.length > 0 : Filters.some(({ Name }) => Name !== 'instance-state-name');
      if (touched || (dead.length > 0 && !pinned)) t.is(seen, 'Unavailable');
      else t.true(seen === 'Unavailable' || JSON.stringify(seen) === JSON.stringify(healthy));
      if (dead.length === 0) t.deepEqual(seen, healthy);
    }),
    { numRuns: tries(25, 120), seed: 11 },
  );
});

async function twoZones(t: ExecutionContext) {
  const cloud = await openCloud(t);
  const start = async (input: Partial<RunInstancesCommandInput>) =>
    (await cloud.ec2.send(launch(input))).Instances?.[0]?.InstanceId ?? '';
  const here = await start({ ...tagged('req-here'), Placement: { AvailabilityZone: 'us-east-1a' } });
  const there = await start({ ...tagged('req-there'), Placement: { AvailabilityZone: 'us-east-1b' } });
  cloud.simulator.advance(2000);
  return { ...cloud, here, there };
}

async function list(ec2: EC2Client, input: DescribeInstancesCommandInput): Promise<string[]> {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand(input));
  return Reservations?.flatMap((reservation) => reservation.Instances?.map((one) => one.InstanceId ?? '') ?? []) ?? [];
}
