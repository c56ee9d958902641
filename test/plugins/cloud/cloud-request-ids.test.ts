import test from 'ava';
import { isFault } from '../../../core/index.ts';
import { quietCall, stage } from './support.ts';

test('the ids of AWS are recorded for each change, and for what was refused', async (t) => {
  const { session, close } = await stage();
  t.teardown(close);
  const ids: string[] = [];
  const call = { ...quietCall(), recordCloudRequest: (id: string) => void ids.push(id) };
  await session.read((ec2) => new ec2.DescribeSubnetsCommand({}), call);
  t.deepEqual(ids, [], 'a read that was answered is of no interest');
  const answer = await session.write(
    (ec2) => new ec2.RunInstancesCommand({ MinCount: 1, MaxCount: 1, ImageId: 'ami-1', InstanceType: 't3.small' }),
    call,
  );
  t.deepEqual(ids, [answer.$metadata.requestId]);
  const refused = session.write((ec2) => new ec2.TerminateInstancesCommand({ InstanceIds: ['i-00000000'] }), call);
  t.true(isFault(await refused.catch((error: unknown) => error)));
  const missing = session.read((ec2) => new ec2.DescribeInstancesCommand({ InstanceIds: ['i-00000000'] }), call);
  t.true(isFault(await missing.catch((error: unknown) => error)));
  t.is(new Set(ids).size, 3);
  t.true(ids.every((id) => /^[0-9a-f-]{36}$/.test(id)));
});
