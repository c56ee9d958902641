import { setTimeout as wait } from 'node:timers/promises';
import { spread } from '../measure/numbers.ts';
import type { CallEntry } from '../processes/cloud.ts';
import { cpuSeconds } from '../processes/usage.ts';
import { below } from '../report/row.ts';
import { asOnAws } from './as-on-aws.ts';
import type { Line } from './line.ts';
import { fresh, provision } from './provisioning.ts';

const machines = 10_000;
/** Between two looks of the broker at what merely lives. */
const look_ms = 30_000;

/** What an account that starts 10 000 machines in a few seconds has been granted; all other rates are AWS's own. */
const granted = { capacity: machines, per_second: 1_000 };
const options = {
  knobs: asOnAws({ throttle: { buckets: { RunInstances: { requests: granted, resources: granted } } } }).knobs,
  config: { rate_limits: { enabled: true, buckets: { RunInstances: { requests: granted, machines: granted } } } },
};

/**
 * How often the cloud is asked about 10 000 machines in 100 requests that merely live, by the cloud's own audit: in
 * real time, minute by minute.
 */
export const cloudSteady: Line = {
  names: ['cloud-steady'],
  slow: true,

  async run({ quick }, _wanted, tell) {
    const minutes = quick ? 1 : 2;
    const both = await fresh(options);
    const { broker, cloud } = both;
    await provision(both, { machines });
    // The launch is over, and the sweep that follows a start: the next one comes ten minutes later.
    await wait(look_ms);
    const before = cpuSeconds(broker.pid) ?? Number.NaN;
    const counts: number[] = [];
    const entries: CallEntry[] = [];
    for (let minute = 0; minute < minutes; minute++) {
      const mark = await cloud.mark();
      await wait(60_000);
      counts.push((await cloud.calls(mark)).describes);
      entries.push(...(await cloud.entries(mark)));
    }
    const busy = ((cpuSeconds(broker.pid) ?? Number.NaN) - before) / minutes;
    const running = await cloud.running();
    if (running !== machines) throw new Error(`The cloud has ${running} machines, of ${machines}.`);
    await broker.stop();
    const measured = spread(counts);
    tell({
      name: 'cloud-steady',
      title: 'Questions about 10 000 machines that live',
      unit: '/min',
      measured,
      runs: minutes,
      targets: [below(measured.most, 60, '/min')],
      notes: [
        `${kinds(entries)}, in bursts of ${bursts(entries).join(', ')}; ${busy.toFixed(1)} s of processor a minute`,
      ],
    });
  },
};

function kinds(entries: readonly CallEntry[]): string {
  return [...Map.groupBy(entries, ({ action }) => action)]
    .map(([action, all]) => `${all.length} ${action}`)
    .join(' + ');
}

/** Calls that come within a third of the time between two looks belong to one. */
function bursts(entries: readonly CallEntry[]): number[] {
  const sizes: number[] = [];
  let began = -Infinity;
  for (const { at } of entries) {
    if (Date.parse(at) - began > look_ms / 3) {
      sizes.push(0);
      began = Date.parse(at);
    }
    sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + 1;
  }
  return sizes;
}
