import test, { type ExecutionContext } from 'ava';
import { EC2Client, DescribeTagsCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';
import { variants } from '../../support/variants.ts';

interface Machine {
  readonly machine_id: string;
  readonly status: string;
  readonly assigned_name?: string;
}

async function boot(t: ExecutionContext, provider_api: string, knobs: KnobChange = {}) {
  const booted = await bootBroker({
    knobs,
    templates: [
      {
        template_id: 'small',
        provider_api,
        image_id: 'ami-1',
        machine_type: 't3.small',
        subnet_ids: ['subnet-1'],
      },
    ],
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'cloud-asg', 'default-format', 'storage-sqlite'],
    },
  });
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'test' };
  const ec2 = new EC2Client({ endpoint: booted.simulator.url, region: 'us-east-1', credentials });
  t.teardown(async () => {
    ec2.destroy();
    await booted.close();
  });
  return { ...booted, ec2 };
}

const machinesOf = async ({ call }: BootedBroker, request_id: string): Promise<Machine[]> =>
  (await call('GET', `/requests/${request_id}/status`)).body.machines;

async function completed(booted: BootedBroker, body: object): Promise<string> {
  const { status, body: made } = await booted.call('POST', '/machines/request', { template_id: 'small', ...body });
  if (status !== 200) throw new Error(JSON.stringify(made));
  const { request_id } = made;
  await booted.until(async () => {
    const { body: shown } = await booted.call('GET', `/requests/${request_id}`);
    return shown.status === 'completed';
  });
  return request_id;
}

async function toldNames(ec2: EC2Client): Promise<Record<string, string>> {
  const { Tags = [] } = await ec2.send(
    new DescribeTagsCommand({
      Filters: [
        { Name: 'key', Values: ['muster:name'] },
        { Name: 'resource-type', Values: ['instance'] },
      ],
    }),
  );
  return Object.fromEntries(Tags.map(({ ResourceId = '', Value = '' }) => [ResourceId, Value]));
}

for (const api of variants(['RunInstances', 'EC2Fleet', 'ASG']))
  test(`${api}: each machine takes a name, and can read it once it is ready`, async (t) => {
    const booted = await boot(t, api);
    const names = ['cpu-1', 'cpu-2', 'cpu-3'];
    const request_id = await completed(booted, { machine_count: 3, names });
    const machines = await machinesOf(booted, request_id);
    const assigned = Object.fromEntries(machines.map(({ machine_id, assigned_name }) => [machine_id, assigned_name]));
    t.deepEqual(Object.values(assigned).toSorted(), names);
    t.deepEqual(await toldNames(booted.ec2), assigned as Record<string, string>);
    t.is(booted.simulator.audit().filter(({ action }) => action === 'CreateTags').length, 3);
  });

test('a machine that is lost before its request is complete leaves its name to the one that replaces it', async (t) => {
  const booted = await boot(t, 'RunInstances', { boot_ms: 3_000 });
  const { call, until, ec2 } = booted;
  const names = ['cpu-1', 'cpu-2', 'cpu-3'];
  const { body } = await call('POST', '/machines/request', { template_id: 'small', machine_count: 3, names });
  const first = await until(async () => {
    const machines = await machinesOf(booted, body.request_id);
    return machines.length === 3 && machines;
  });
  const [lost] = first;
  if (!lost?.assigned_name) return t.fail();
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [lost.machine_id] }));
  await until(async () => (await call('GET', `/requests/${body.request_id}`)).body.status === 'completed');
  const running = (await machinesOf(booted, body.request_id)).filter(({ status }) => status === 'running');
  t.deepEqual(running.map(({ assigned_name }) => assigned_name).toSorted(), names);
  const heir = running.find(({ assigned_name }) => assigned_name === lost.assigned_name);
  t.false(first.some(({ machine_id }) => machine_id === heir?.machine_id));
  // It was ordered alone, so its launch told it.
  t.is((await toldNames(ec2))[heir?.machine_id ?? ''], lost.assigned_name);
  const { body: explained } = await call('GET', `/requests/${body.request_id}/explain`);
  t.deepEqual(
    explained.attempts.map((attempt: { names: string[] }) => attempt.names),
    [names, [lost.assigned_name]],
  );
});

test('the name of a single machine is a tag of its launch', async (t) => {
  const booted = await boot(t, 'RunInstances');
  const request_id = await completed(booted, { machine_count: 1, names: ['cpu-7'] });
  const [machine] = await machinesOf(booted, request_id);
  t.deepEqual(await toldNames(booted.ec2), { [machine?.machine_id ?? '']: 'cpu-7' });
  t.false(booted.simulator.audit().some(({ action }) => action === 'CreateTags'));
  const { body } = await booted.call('GET', `/requests/${request_id}/explain`);
  t.deepEqual(
    body.attempts.map(({ names }: { names: string[] }) => names),
    [['cpu-7']],
  );
});

test('names that are not one for each machine, each once, are refused with their place', async (t) => {
  const booted = await boot(t, 'RunInstances');
  const refused = async (machine_count: number, names: readonly string[]) => {
    const { status, body } = await booted.call('POST', '/machines/request', {
      template_id: 'small',
      machine_count,
      names,
    });
    return `${status} ${body.detail}`;
  };
  t.regex(await refused(2, ['a']), /^400 .*\/names: 1 name for 2 machines; give one for each/);
  t.regex(await refused(2, ['a', 'a']), /^400 .*\/names\/1: 'a' occurs twice/);
  t.regex(await refused(1, ['a b']), /^400 .*\/names\/0/);
});

test('the same request with other names is another request', async (t) => {
  const booted = await boot(t, 'RunInstances');
  const sent = (names: readonly string[]) =>
    booted.call(
      'POST',
      '/machines/request',
      { template_id: 'small', machine_count: 1, names },
      { 'idempotency-key': 'k1' },
    );
  const first = await sent(['a']);
  t.is((await sent(['a'])).body.request_id, first.body.request_id);
  t.is((await sent(['b'])).status, 409);
});
