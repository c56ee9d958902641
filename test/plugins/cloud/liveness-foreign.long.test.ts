import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import type { Watched } from '../../../core/index.ts';
import { inStatus, steadyStage } from './steady-support.ts';

const minute = 60_000;

test('with many foreign machines in a zone ours are described, and their number is read again later', async (t) => {
  t.timeout(300_000);
  const there = await steadyStage();
  t.teardown(there.close);
  const watched: Watched[] = [];
  for (let i = 0; i < 6; i++) watched.push(await there.steady(200, 'subnet-1'));
  const others = await there.steady(1_000, 'subnet-1');
  for (let i = 0; i < 5; i++) await there.steady(1_000, 'subnet-1');
  const ours = watched.map(() => 200);

  const first = await there.observe(watched);
  t.true((first.calls['DescribeInstanceStatus'] ?? 0) <= 5, 'it does not read the whole crowd');
  t.true((first.calls['DescribeInstances'] ?? 0) >= 2);
  t.deepEqual(inStatus(first.seen, 'running'), ours);
  there.pass(30_000);
  const second = await there.observe(watched);
  t.deepEqual(second.calls, { DescribeInstances: 2 });
  t.deepEqual(inStatus(second.seen, 'running'), ours);

  await there.session.write(
    () => new TerminateInstancesCommand({ InstanceIds: others.known.map(({ machine_id }) => machine_id) }),
    there.call,
  );
  there.pass(11 * minute);
  // It is the turn of all of them to be described.
  await there.observe(watched);
  there.pass(30_000);
  const later = await there.observe(watched);
  t.true((later.calls['DescribeInstanceStatus'] ?? 0) > 1);
});
