import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openSimulator } from '../../../plugins/cloud-simulator/server/open.ts';
import { openWire, type Wire } from '../load/wire.ts';
import { spread } from '../measure/numbers.ts';
import { Child } from '../processes/child.ts';
import { json } from '../processes/http.ts';
import { cpuSeconds, rssMb } from '../processes/usage.ts';
import { workplace } from '../processes/workplace.ts';
import { atLeast, below } from '../report/row.ts';
import type { Line } from './line.ts';

const machines = 50_000;
const rounds = 5;
const callers = 10;
const restMs = 2_000;
const perMinute = 500;

const launch = {
  ImageId: 'ami-067bea1a7acde1586',
  InstanceType: 't3.small',
  SubnetId: 'subnet-0e24c7ca3264c9054',
  'SecurityGroupId.1': 'sg-0a4f686db37e6d6a1',
  'TagSpecification.1.ResourceType': 'instance',
  'TagSpecification.1.Tag.1.Key': 'team',
  'TagSpecification.1.Tag.1.Value': 'bench',
  'TagSpecification.1.Tag.2.Key': 'muster:request-id',
};

/**
 * The simulated cloud by itself, in the process that a broker finds: machines launched one by one, each with a token
 * and a tag of its own.
 */
export const simulator: Line = {
  names: ['sim-launch', 'sim-memory', 'sim-page', 'sim-page-by-tag'],

  async run({ quick }, wanted, tell) {
    const { url } = await openSimulator(workplace());
    const { pid } = await json(`${url}/_sim/health`);
    const wire = openWire(url);
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) rates.push(await launchSome(wire, round, machines / rounds));
    await wait(restMs);
    const filled = rssMb(pid) ?? Number.NaN;
    const byTag = {
      'Filter.1.Name': 'tag:team',
      'Filter.1.Value.1': 'bench',
      'Filter.2.Name': 'instance-state-name',
      'Filter.2.Value.1': 'running',
    };
    await json(`${url}/_sim/clock`, 'POST', { advance_ms: 60_000 });
    const pages = quick ? 30 : 100;
    const page = await describeSome(wire, pid, pages, {});
    const tagged = await describeSome(wire, pid, pages, byTag);
    const most = Math.max(filled, rssMb(pid) ?? Number.NaN);
    wire.close();

    const rate = spread(rates);
    if (wanted('sim-launch'))
      tell({
        name: 'sim-launch',
        title: 'Simulated cloud: RunInstances of one machine',
        unit: 'req/s',
        measured: rate,
        runs: rounds,
        targets: [atLeast(rate.median, 2_000, 'req/s')],
        notes: [],
      });
    if (wanted('sim-memory'))
      tell({
        name: 'sim-memory',
        title: `Simulated cloud: ${machines.toLocaleString('en').replace(',', ' ')} machines (RSS)`,
        unit: 'MB',
        measured: spread([filled, most]),
        runs: 1,
        targets: [below(most, 400, 'MB')],
        notes: [`${Math.round(filled)} MB when launched, ${Math.round(most)} MB after ${2 * pages} pages`],
      });
    for (const [name, title, times] of [
      ['sim-page', 'Simulated cloud: page of 1000 machines', page],
      ['sim-page-by-tag', 'Simulated cloud: the same by tag and state', tagged],
    ] as const) {
      const measured = spread([times]);
      if (wanted(name))
        tell({ name, title, unit: 'ms', measured, runs: pages, targets: [below(times, 40, 'ms')], notes: [] });
    }
  },
};

/**
 * A virtual hour on a standing clock, until the caller has its last answer: in each minute 500 machines are launched,
 * found, and ended.
 */
export const simulatedHour: Line = {
  names: ['sim-hour'],

  async run({ quick }, _wanted, tell) {
    const runs = quick ? 1 : 3;
    const seconds: number[] = [];
    const waited: number[] = [];
    for (let run = 0; run < runs; run++) {
      const cloud = Child.of(join(import.meta.dirname, '../processes/standing-cloud.ts'));
      const { url } = await cloud.ask<{ url: string }>({ do: 'start' });
      const wire = openWire(url);
      const began = performance.now();
      const before = cpuSeconds(cloud.pid) ?? Number.NaN;
      for (let minute = 0; minute < 60; minute++) await playMinute(wire, url, minute);
      seconds.push((cpuSeconds(cloud.pid) ?? Number.NaN) - before);
      waited.push((performance.now() - began) / 1000);
      wire.close();
      await cloud.stop();
    }
    const measured = spread(waited);
    const title = 'Simulated cloud: an hour of 30 000 machines';
    const notes = [`${spread(seconds).median.toFixed(2)} s of it processor time of the simulator`];
    tell({ name: 'sim-hour', title, unit: 's', measured, runs, targets: [below(measured.median, 2, 's')], notes });
  },
};

/** Answers a second. */
async function launchSome(wire: Wire, round: number, count: number): Promise<number> {
  const began = performance.now();
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const id = `req-00000000-0000-0000-0000-${round}-${left}`;
      await wire.call('RunInstances', {
        ...launch,
        MinCount: 1,
        MaxCount: 1,
        ClientToken: id,
        'TagSpecification.1.Tag.2.Value': id,
      });
    }
  };
  await Promise.all(Array.from({ length: callers }, one));
  return count / ((performance.now() - began) / 1000);
}

/** Processor time of the server for a page, in milliseconds. */
async function describeSome(
  wire: Wire,
  pid: number,
  count: number,
  filters: Readonly<Record<string, string>>,
): Promise<number> {
  for (let call = 0; call < 10; call++) await wire.call('DescribeInstances', { MaxResults: 1000, ...filters });
  const before = cpuSeconds(pid) ?? Number.NaN;
  for (let call = 0; call < count; call++) {
    const page = await wire.call('DescribeInstances', { MaxResults: 1000, ...filters });
    if (page.length < 1_000_000) throw new Error(`A page of 1000 machines has ${page.length} bytes.`);
  }
  return (((cpuSeconds(pid) ?? Number.NaN) - before) * 1000) / count;
}

async function playMinute(wire: Wire, url: string, minute: number): Promise<void> {
  const id = `req-${minute}`;
  const batches = Array.from({ length: 10 }, (_, batch) =>
    wire.call('RunInstances', {
      ...launch,
      MinCount: 1,
      MaxCount: perMinute / 10,
      ClientToken: `${id}-${batch}`,
      'TagSpecification.1.Tag.2.Value': id,
    }),
  );
  await Promise.all(batches);
  await json(`${url}/_sim/clock`, 'POST', { advance_ms: 30_000 });
  const page = await wire.call('DescribeInstances', {
    MaxResults: perMinute,
    'Filter.1.Name': 'tag:muster:request-id',
    'Filter.1.Value.1': id,
  });
  const ids = Array.from(page.matchAll(/<instanceId>([^<]+)/g), ([, one = '']) => one);
  if (ids.length !== perMinute) throw new Error(`${ids.length} machines live, of ${perMinute}.`);
  await wire.call('TerminateInstances', Object.fromEntries(ids.map((one, index) => [`InstanceId.${index + 1}`, one])));
  await json(`${url}/_sim/clock`, 'POST', { advance_ms: 30_000 });
}
