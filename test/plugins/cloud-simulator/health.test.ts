import {
  DescribeInstanceStatusCommand,
  type DescribeInstanceStatusCommandInput,
  type EC2Client,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import type { HealthRule } from '../../../plugins/cloud-simulator/knobs/machine-knobs.ts';
import { launch, openCloud } from './support.ts';

test('a running machine passes all checks, a pending one is not checked', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await start(ec2);
  const pending = (await statuses(ec2, { IncludeAllInstances: true }))[0];
  t.deepEqual(
    [pending?.InstanceStatus, pending?.SystemStatus?.Status, pending?.AttachedEbsStatus?.Status],
    [{ Status: 'not-applicable' }, 'not-applicable', 'not-applicable'],
  );
  simulator.advance(2000);
  const running = (await statuses(ec2))[0];
  const passed = { Status: 'ok', Details: [{ Name: 'reachability', Status: 'passed' }] };
  t.deepEqual([running?.InstanceStatus, running?.SystemStatus, running?.AttachedEbsStatus], [passed, passed, passed]);
  t.is(running?.Events, undefined);
});

const rules: readonly [what: string, rule: HealthRule, seen: readonly (string | undefined)[], detail: string][] = [
  ['the instance check by default', {}, ['impaired', 'ok', 'ok'], 'failed'],
  ['the system check', { check: 'system' }, ['ok', 'impaired', 'ok'], 'failed'],
  ['the check of volumes', { check: 'ebs' }, ['ok', 'ok', 'impaired'], 'failed'],
  ['missing data', { status: 'insufficient-data' }, ['insufficient-data', 'ok', 'ok'], 'insufficient-data'],
  ['a check that has just begun', { status: 'initializing' }, ['initializing', 'ok', 'ok'], 'initializing'],
  ['the zone', { zone: 'us-east-1a' }, ['impaired', 'ok', 'ok'], 'failed'],
];
for (const [what, rule, seen, detail] of rules) {
  test(`a rule of health for ${what} shows, and goes when the rule goes`, async (t) => {
    const { ec2, simulator } = await openCloud(t);
    await start(ec2, { Placement: { AvailabilityZone: 'us-east-1a' } });
    simulator.advance(10_000);
    simulator.setKnobs({ health: [rule] });
    const checks = async () => {
      const [one] = await statuses(ec2);
      return [one?.InstanceStatus, one?.SystemStatus, one?.AttachedEbsStatus];
    };
    const found = await checks();
    t.deepEqual(
      found.map((one): string | undefined => one?.Status),
      [...seen],
    );
    const odd = found.find((one) => one?.Status !== 'ok')?.Details?.[0];
    t.is(odd?.Status as string, detail);
    t.deepEqual(odd?.ImpairedSince, detail === 'failed' ? new Date(simulator.clock.now()) : undefined);
    simulator.setKnobs({ health: [] });
    t.deepEqual(
      (await checks()).map((one) => one?.Status),
      ['ok', 'ok', 'ok'],
    );
  });
}

test('a rule of health concerns only the machines that it names, and filters find them', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const [sick = '', well = ''] = await start(ec2, { MaxCount: 2 });
  simulator.advance(2000);
  simulator.setKnobs({
    health: [{ instance_ids: [sick], check: 'system', event: 'instance-retirement', event_in_ms: 60_000 }],
  });
  const find = async (Name: string, ...Values: string[]) =>
    (await statuses(ec2, { Filters: [{ Name, Values }] })).map((one) => one.InstanceId);
  t.deepEqual(await find('system-status.status', 'impaired'), [sick]);
  t.deepEqual(await find('system-status.status', 'ok'), [well]);
  t.deepEqual(await find('system-status.reachability', 'failed'), [sick]);
  t.deepEqual(await find('instance-status.status', 'impaired'), []);
  t.deepEqual(await find('attached-ebs-status.status', 'ok'), [sick, well]);
  t.deepEqual(await find('event.code', 'instance-retirement', 'instance-stop'), [sick]);
  t.deepEqual(await find('event.code', 'system-reboot'), []);
});

test('a scheduled event has an id that stays, a beginning, and an end where one is known', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await start(ec2);
  simulator.advance(2000);
  const set = simulator.clock.now();
  simulator.setKnobs({ health: [{ event: 'instance-retirement' }, { event: 'system-reboot', event_in_ms: 5000 }] });
  const events = async () => (await statuses(ec2))[0]?.Events;
  const [retirement, reboot] = (await events()) ?? [];
  t.like(retirement, { Code: 'instance-retirement', NotBefore: new Date(set + 86_400_000), NotAfter: undefined });
  t.like(reboot, { Code: 'system-reboot', NotBefore: new Date(set + 5000) });
  t.true((reboot?.NotAfter?.getTime() ?? 0) > set + 5000);
  t.regex(retirement?.InstanceEventId ?? '', /^instance-event-0[0-9a-f]{16}$/);
  t.not(retirement?.InstanceEventId, reboot?.InstanceEventId);
  simulator.advance(1000);
  t.deepEqual((await events())?.[0], retirement);
});

test('a machine is not impaired for longer than it runs', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { health: [{}] } });
  simulator.advance(60_000);
  await start(ec2);
  simulator.advance(2000);
  t.deepEqual((await statuses(ec2))[0]?.InstanceStatus?.Details?.[0]?.ImpairedSince, new Date(simulator.clock.now()));
});

async function start(ec2: EC2Client, input: Partial<RunInstancesCommandInput> = {}): Promise<string[]> {
  return (await ec2.send(launch(input))).Instances?.map((one) => one.InstanceId ?? '') ?? [];
}

async function statuses(ec2: EC2Client, input: DescribeInstanceStatusCommandInput = {}) {
  return (await ec2.send(new DescribeInstanceStatusCommand(input))).InstanceStatuses ?? [];
}
