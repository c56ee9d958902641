import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DescribeInstancesCommand, DescribeInstanceStatusCommand, type EC2Client } from '@aws-sdk/client-ec2';
import test from 'ava';
import { answering } from './answering-client.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const answers = 20;
const machinesEach = 100;
/** What a row has beside what is kept of it: all rows together have 30 MB. */
const filler = `<filler>${'x'.repeat(15_000)}</filler>`;
const mostMb = 6;

const rows = (answer: number, inside: string): string =>
  Array.from({ length: machinesEach }, (_, row) => {
    const id = `i-${String(answer * machinesEach + row).padStart(17, '0')}`;
    return `<item><instanceId>${id}</instanceId>${inside}${filler}</item>`;
  }).join('');
/** The parser of the SDK takes raw text as a part of the answer. */
const privateName = '<privateDnsName><![CDATA[ip-10-0-0-1.ec2.internal]]></privateDnsName>';
const state = '<instanceState><code>16</code><name>running</name></instanceState>';
const root = (name: string, list: string): string =>
  `<${name} xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${list}</${name}>`;

for (const { name, list, idsOf } of [
  {
    name: 'DescribeInstanceStatus',
    list: (answer: number) =>
      root('DescribeInstanceStatusResponse', `<instanceStatusSet>${rows(answer, state)}</instanceStatusSet>`),
    idsOf: async (client: EC2Client) =>
      ((await client.send(new DescribeInstanceStatusCommand({}))).InstanceStatuses ?? []).map(
        ({ InstanceId }) => InstanceId,
      ),
  },
  {
    name: 'DescribeInstances',
    list: (answer: number) =>
      root(
        'DescribeInstancesResponse',
        `<reservationSet><item><instancesSet>${rows(answer, state + privateName)}</instancesSet></item></reservationSet>`,
      ),
    idsOf: async (client: EC2Client) =>
      ((await client.send(new DescribeInstancesCommand({}))).Reservations ?? []).flatMap(({ Instances = [] }) =>
        Instances.map(({ InstanceId }) => InstanceId),
      ),
  },
])
  test(`what is kept of the machines of ${name} does not keep the texts of its answers`, async (t) => {
    let answer = 0;
    const client = answering(() => list(answer), 64_000);
    await idsOf(client);
    collect();
    const before = process.memoryUsage().heapUsed;
    const kept: (string | undefined)[] = [];
    for (answer = 1; answer <= answers; answer++) kept.push(...(await idsOf(client)));
    collect();
    const mb = (process.memoryUsage().heapUsed - before) / 1e6;
    t.is(new Set(kept).size, answers * machinesEach);
    t.true(mb < mostMb, `${mb.toFixed(1)} MB`);
    client.destroy();
  });
