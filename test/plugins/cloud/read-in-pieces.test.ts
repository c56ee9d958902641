import { setImmediate as turn } from 'node:timers/promises';
import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeInstanceStatusCommand,
  EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
  type DescribeInstancesCommandOutput,
} from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import { instanceSummary } from '../../../plugins/cloud/connection/answers/instance-summary.ts';
import { listings } from '../../../plugins/cloud/connection/answers/listings.ts';
import { readInPieces } from '../../../plugins/cloud/connection/answers/read-in-pieces.ts';
import { readListing } from '../../../plugins/cloud/connection/answers/read-listing.ts';
import { RecentRows } from '../../../plugins/cloud/connection/answers/recent-rows.ts';
import { statusSummary } from '../../../plugins/cloud/connection/answers/status-summary.ts';
import { createSimulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { answering, credentials, parsedBy } from './answering-client.ts';

const image = { ImageId: 'ami-067bea1a7acde1586', InstanceType: 'm5.large' } as const;

const machines = ({ Reservations = [] }: DescribeInstancesCommandOutput) =>
  Reservations.flatMap(({ Instances = [] }) => Instances);
/** What a row is without the properties that are undefined. */
const defined = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A simulated cloud, a client of the SDK, and one that reads in pieces. `parsed`: bytes that the SDK parsed for it. */
async function clientsOf(t: ExecutionContext) {
  const simulator = createSimulator({ knobs: { boot_ms: 1 } });
  const endpoint = await simulator.listen();
  const [plain, inPieces] = [0, 1].map(() => new EC2Client({ region: 'us-east-1', endpoint, credentials })) as [
    EC2Client,
    EC2Client,
  ];
  t.teardown(async () => {
    for (const client of [plain, inPieces]) client.destroy();
    await simulator.close();
  });
  const parsed = parsedBy(inPieces);
  readInPieces(inPieces);
  const run = (count: number) => plain.send(new RunInstancesCommand({ ...image, MinCount: count, MaxCount: count }));
  return { plain, inPieces, parsed, run };
}

test('a large page that is parsed in pieces gives the same machines, and other work runs in between', async (t) => {
  t.timeout(300_000);
  const { plain, inPieces, run } = await clientsOf(t);
  for (const count of [650, 1, 249, 30]) await run(count);
  const question = () => new DescribeInstancesCommand({ MaxResults: 900 });
  const whole = await plain.send(question());
  let turns = 0;
  const asking = new AbortController();
  const others = (async () => {
    for (; !asking.signal.aborted; turns++) await turn();
  })();
  const read = await inPieces.send(question());
  asking.abort();
  await others;
  t.is(machines(whole).length, 900);
  t.deepEqual(machines(read).map(defined), machines(whole).map(instanceSummary).map(defined));
  t.true(machines(read).every(({ LaunchTime }) => LaunchTime instanceof Date));
  t.truthy(read.NextToken);
  t.is(read.$metadata.httpStatusCode, 200);
  t.true(turns >= 9, `${turns} turns`);

  const { NextToken } = read;
  const next = () => new DescribeInstancesCommand({ MaxResults: 900, NextToken });
  t.deepEqual(
    machines(await inPieces.send(next())).map(defined),
    machines(await plain.send(next()))
      .map(instanceSummary)
      .map(defined),
  );
  const statuses = () => new DescribeInstanceStatusCommand({ MaxResults: 900, IncludeAllInstances: true });
  const { InstanceStatuses = [], NextToken: more } = await inPieces.send(statuses());
  t.is(InstanceStatuses.length, 900);
  t.deepEqual(
    InstanceStatuses.map(defined),
    ((await plain.send(statuses())).InstanceStatuses ?? []).map(statusSummary).map(defined),
  );
  t.truthy(more);
  const refused = await t.throwsAsync(
    inPieces.send(new DescribeInstancesCommand({ InstanceIds: ['i-00000000000000000'] })),
  );
  t.is(refused?.name, 'InvalidInstanceID.NotFound');
  const none = await inPieces.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'instance-state-name', Values: ['stopped'] }] }),
  );
  t.deepEqual(machines(none), []);
});

test('machines that did not change are not parsed again, and any change is read', async (t) => {
  t.timeout(300_000);
  const { plain, inPieces, parsed, run } = await clientsOf(t);
  await run(300);
  const same = async (message: string) => {
    parsed.bytes = 0;
    const [read, whole] = [
      await inPieces.send(new DescribeInstancesCommand({ MaxResults: 1000 })),
      await plain.send(new DescribeInstancesCommand({ MaxResults: 1000 })),
    ];
    t.deepEqual(machines(read).map(defined), machines(whole).map(instanceSummary).map(defined), message);
    const { InstanceStatuses = [] } = await inPieces.send(new DescribeInstanceStatusCommand({ MaxResults: 1000 }));
    const wholeStatuses = await plain.send(new DescribeInstanceStatusCommand({ MaxResults: 1000 }));
    t.deepEqual(
      InstanceStatuses.map(defined),
      (wholeStatuses.InstanceStatuses ?? []).map(statusSummary).map(defined),
      message,
    );
    return { read: machines(read), bytes: parsed.bytes };
  };
  const { read: all, bytes: first } = await same('first');
  t.true(first > 300 * 1_000, `${first} bytes of 300 machines`);
  const { bytes: again } = await same('again');
  t.true(again < 3_000, `${again} bytes: what surrounds the rows`);
  // A caller may change what it got.
  all[0]!.Tags = [{ Key: 'mine', Value: 'mine' }];
  const [one, two] = [all[7]?.InstanceId ?? '', all[299]?.InstanceId ?? ''];
  await plain.send(new TerminateInstancesCommand({ InstanceIds: [one] }));
  await plain.send(new CreateTagsCommand({ Resources: [two], Tags: [{ Key: 'muster:name', Value: 'knoten-ä' }] }));
  const { read: changed, bytes: second } = await same('after two changes');
  t.true(second < 20_000, `${second} bytes of two machines`);
  t.not(changed.find(({ InstanceId }) => InstanceId === one)?.State?.Name, 'running');
  t.deepEqual(changed.find(({ InstanceId }) => InstanceId === two)?.Tags, [{ Key: 'muster:name', Value: 'knoten-ä' }]);
});

const item = (id: number) =>
  `<item><instanceId>i-${id}</instanceId><instanceState><code>16</code><name>running</name></instanceState><tagSet><item><key>muster:name</key><value>Knoten-äöü-€-𝄞 ${id}</value></item></tagSet></item>`;
const answer = (rows: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>q</requestId><reservationSet><item><reservationId>r-1</reservationId><instancesSet>${rows}</instancesSet></item></reservationSet></DescribeInstancesResponse>`;

test('a character that arrives in two parts is one character', async (t) => {
  for (const bytesEach of [1, 2, 3, 5, 7, 64, 100_000]) {
    const client = answering(answer([1, 2, 3].map(item).join('\n')), bytesEach);
    t.deepEqual(
      machines(await client.send(new DescribeInstancesCommand({}))).map(({ Tags }) => Tags?.[0]?.Value),
      [1, 2, 3].map((id) => `Knoten-äöü-€-𝄞 ${id}`),
    );
    client.destroy();
  }
});

test('an answer that ends early, or that the SDK reads otherwise than it was cut, is an error and not a short list', async (t) => {
  const whole = answer([1, 2, 3].map(item).join(''));
  const cut = answering(whole.slice(0, whole.indexOf('</instancesSet>')), 50);
  await t.throwsAsync(cut.send(new DescribeInstancesCommand({})), { message: /ended within its list/ });
  for (const text of ['', '<html></html>', '<Response><Errors><Error><Code>x</Code></Error></Errors></Response>']) {
    const other = answering(text, 50);
    await t.throwsAsync(other.send(new DescribeInstancesCommand({})), { message: /no list of machines/ });
    other.destroy();
  }
  cut.destroy();
  const bytes = async function* () {
    yield Buffer.from(answer([1, 2].map(item).join('')));
  };
  const reader = { recent: new RecentRows(), inTurn: async <T>(work: () => T | Promise<T>) => work() };
  const one = { Reservations: [{ Instances: [{ InstanceId: 'i-1' }] }] };
  await t.throwsAsync(
    readListing(listings.get('DescribeInstances')!, bytes(), { ...reader, parse: async () => one }),
    {
      message: /another form/,
    },
  );
});

test('a row of one list is not read as a row of the other', async (t) => {
  const row =
    '<item><instanceId>i-1</instanceId><instanceState><code>16</code><name>running</name></instanceState></item>';
  const statuses = `<DescribeInstanceStatusResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><instanceStatusSet>${row}</instanceStatusSet></DescribeInstanceStatusResponse>`;
  let next = '';
  const client = answering(() => next, 1_000);
  for (let time = 0; time < 2; time++) {
    next = answer(row);
    const [machine] = machines(await client.send(new DescribeInstancesCommand({})));
    t.like(machine, { InstanceId: 'i-1', State: { Code: 16, Name: 'running' } });
    next = statuses;
    const { InstanceStatuses } = await client.send(new DescribeInstanceStatusCommand({}));
    t.deepEqual(InstanceStatuses?.map(defined), [{ InstanceId: 'i-1', InstanceState: { Name: 'running' } }]);
  }
  client.destroy();
});

test('statuses that differ in their ids alone are parsed once, and each has its own id', async (t) => {
  const row = (id: string, more = '') =>
    `<item><instanceId>${id}</instanceId><instanceState><code>16</code><name>running</name></instanceState>${more}</item>`;
  const other = '<other><instanceId>i-9</instanceId></other>';
  const event =
    '<eventsSet><item><code>instance-stop</code><notBefore>2026-12-01T10:00:00.000Z</notBefore></item></eventsSet>';
  const ids = Array.from({ length: 1_000 }, (_, index) => `i-${String(index).padStart(17, '0')}`);
  const statuses = [
    ...ids.map((id) => row(id)),
    // In these, more than the id differs, or the SDK finds another id than the first one, or none.
    ...['i-1', 'i-2'].map((id) => row(id, other)),
    ...['i-3', 'i-4'].map((id) => row(id, ' ')),
    ...['i-5', 'i-6'].map((id) => row(id, event)),
    row('i&#45;7'),
    row(''),
  ].join('');
  const answer = `<DescribeInstanceStatusResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><instanceStatusSet>${statuses}</instanceStatusSet></DescribeInstanceStatusResponse>`;
  let parsed = { bytes: 0 };
  const client = answering(answer, 64_000, (each) => {
    parsed = parsedBy(each);
    return readInPieces(each);
  });
  const plain = answering(answer, 64_000, (each) => each);
  const ask = () => new DescribeInstanceStatusCommand({});
  const expected = (await plain.send(ask())).InstanceStatuses?.map(statusSummary).map(defined);
  t.is(expected?.length, 1_008);
  for (let time = 0; time < 3; time++) {
    const { InstanceStatuses = [] } = await client.send(ask());
    t.deepEqual(InstanceStatuses.map(defined), expected);
    // Machines share what is alike, and nobody changes it for the others.
    t.throws(() => (InstanceStatuses[0]!.InstanceState!.Name = 'stopped'), { instanceOf: TypeError });
    InstanceStatuses[1_005]?.Events?.[0]?.NotBefore?.setTime(0);
  }
  t.true(parsed.bytes < 8_000, `${parsed.bytes} bytes`);
  client.destroy();
  plain.destroy();
});

test('a status with scheduled events is the same when it is read again', async (t) => {
  const row = (id: number, state: string, events: string) =>
    `<item><instanceId>i-${id}</instanceId>${events}<instanceState><code>16</code><name>${state}</name></instanceState></item>`;
  const event = `<eventsSet><item><instanceEventId>e-1</instanceEventId><code>instance-retirement</code><description>[Completed] it &amp; more</description><notBefore>2026-12-01T10:00:00.000Z</notBefore></item></eventsSet>`;
  const statuses = [row(1, 'running', event), row(2, 'running', '<eventsSet/>'), row(3, 'stopped', '')].join('');
  const client = answering(
    `<DescribeInstanceStatusResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><instanceStatusSet>${statuses}</instanceStatusSet></DescribeInstanceStatusResponse>`,
    33,
  );
  for (const time of ['first', 'second', 'third']) {
    const { InstanceStatuses } = await client.send(new DescribeInstanceStatusCommand({}));
    t.deepEqual(
      InstanceStatuses?.map((status) => ({ ...status })) as unknown,
      [
        {
          InstanceId: 'i-1',
          InstanceState: { Name: 'running' },
          Events: [
            {
              Code: 'instance-retirement',
              Description: '[Completed] it & more',
              NotBefore: new Date('2026-12-01T10:00:00.000Z'),
            },
          ],
        },
        { InstanceId: 'i-2', InstanceState: { Name: 'running' } },
        { InstanceId: 'i-3', InstanceState: { Name: 'stopped' } },
      ],
      time,
    );
  }
  client.destroy();
});
