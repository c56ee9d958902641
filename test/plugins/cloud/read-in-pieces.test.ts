import { setImmediate as turn } from 'node:timers/promises';
import {
  DescribeInstancesCommand,
  DescribeInstanceStatusCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { readInPieces } from '../../../plugins/cloud/connection/answers/read-in-pieces.ts';
import { createSimulator } from '../../../plugins/cloud-simulator/server/server.ts';

test('a large page that is parsed in pieces gives the same machines, and other work runs in between', async (t) => {
  t.timeout(300_000);
  const simulator = createSimulator({ knobs: { boot_ms: 1 } });
  const endpoint = await simulator.listen();
  const credentials = { accessKeyId: 'AKIATEST000000000000', secretAccessKey: 'a-secret-that-nobody-sees' };
  const clients = [0, 1].map(() => new EC2Client({ region: 'us-east-1', endpoint, credentials }));
  t.teardown(async () => {
    for (const client of clients) client.destroy();
    await simulator.close();
  });
  const [plain, other] = clients as [EC2Client, EC2Client];
  for (const count of [650, 1, 249, 30])
    await plain.send(
      new RunInstancesCommand({
        ImageId: 'ami-067bea1a7acde1586',
        InstanceType: 'm5.large',
        MinCount: count,
        MaxCount: count,
      }),
    );
  const question = () => new DescribeInstancesCommand({ MaxResults: 900 });
  const whole = await plain.send(question());
  const inPieces = readInPieces(other);
  let turns = 0;
  const asking = new AbortController();
  const others = (async () => {
    for (; !asking.signal.aborted; turns++) await turn();
  })();
  const read = await inPieces.send(question());
  asking.abort();
  await others;
  const machines = (page: typeof whole) => page.Reservations?.flatMap(({ Instances = [] }) => Instances);
  t.is(machines(whole)?.length, 900);
  t.deepEqual(machines(read), machines(whole));
  t.truthy(read.NextToken);
  t.deepEqual(new Set(read.Reservations?.map(({ ReservationId }) => ReservationId)).size, whole.Reservations?.length);
  t.is(read.$metadata.httpStatusCode, 200);
  t.true(turns >= 9, `${turns} turns`);

  const { NextToken } = read;
  t.deepEqual(
    machines(await inPieces.send(new DescribeInstancesCommand({ MaxResults: 900, NextToken }))),
    machines(await plain.send(new DescribeInstancesCommand({ MaxResults: 900, NextToken }))),
    'a small page is read at once',
  );
  const statuses = () => new DescribeInstanceStatusCommand({ MaxResults: 900, IncludeAllInstances: true });
  const { InstanceStatuses, NextToken: more } = await inPieces.send(statuses());
  t.is(InstanceStatuses?.length, 900);
  t.deepEqual(InstanceStatuses, (await plain.send(statuses())).InstanceStatuses);
  t.truthy(more);
  const refused = await t.throwsAsync(
    inPieces.send(new DescribeInstancesCommand({ InstanceIds: ['i-00000000000000000'] })),
  );
  t.is(refused?.name, 'InvalidInstanceID.NotFound');
});
