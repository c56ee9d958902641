import { RunInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { cloud } from '../../../plugins/cloud/index.ts';
import { sleep, stage } from './support.ts';

test('hosts that run are distinguished from ended and unknown ones by id and by private name', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  const { session, call } = stand;
  const started = await session.write(
    () => new RunInstancesCommand({ ImageId: 'ami-1', InstanceType: 't3.micro', MinCount: 3, MaxCount: 3 }),
    call,
  );
  const ids = (started.Instances ?? []).map(({ InstanceId = '' }) => InstanceId);
  await sleep(60);
  const seen = await session.read((ec2) => new ec2.DescribeInstancesCommand({}), call);
  const nameOf = (id: string | undefined) =>
    seen.Reservations?.flatMap(({ Instances = [] }) => Instances).find(({ InstanceId }) => InstanceId === id)
      ?.PrivateDnsName ?? '';
  await session.write(() => new TerminateInstancesCommand({ InstanceIds: [ids[2] ?? ''] }), call);
  const hosts = [
    { machine_id: ids[0] ?? '' },
    { name: nameOf(ids[1]) },
    { machine_id: ids[2] ?? '' },
    { name: nameOf(ids[2]) },
    { machine_id: 'i-0123456789abcdef0' },
    { name: 'ip-1-2-3-4.ec2.internal' },
    { machine_id: 'i-0123456789abcdef1', name: nameOf(ids[0]) },
  ];
  t.deepEqual(await cloud.whichLive?.(session, hosts, call), hosts.slice(0, 2));
});

test('an answer that fails is a fault, not an absence', async (t) => {
  const stand = await stage({ cloud_max_retries: 0 });
  t.teardown(() => stand.close());
  stand.simulator.setKnobs({
    faults: [{ action: 'DescribeInstances', effect: 'skip', then: 'error', code: 'InternalError', status: 500 }],
  });
  const asked = cloud.whichLive?.(stand.session, [{ machine_id: 'i-0123456789abcdef0' }], stand.call);
  await t.throwsAsync(async () => asked, { message: /InternalError/ });
});
