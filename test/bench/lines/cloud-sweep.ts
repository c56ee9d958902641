import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { spread } from '../measure/numbers.ts';
import { startWithSettings, type Broker } from '../processes/broker.ts';
import type { Cloud } from '../processes/cloud.ts';
import { json } from '../processes/http.ts';
import { cpuSeconds, rssMb } from '../processes/usage.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';
import { fresh, provision } from './provisioning.ts';

const machines = 50_000;
/** The most that one request can have without a word in the configuration. */
const each = 1_000;
const patience_ms = 300_000;

/** A broker that only sweeps: what lives is looked at once, after its start. Nothing is too young to be compared. */
const settings = { observe_resting_ms: 3_600_000, sweep_first_ms: 60_000, sweep_ms: 60_000, sweep_grace_ms: 0 };

const stepMs = 100;
/** At rest: less than a twentieth of a processor over that time, and no call. */
const restMs = 2_000;
const restShare = 0.05;

interface Swept {
  /** Processor time of all threads, beyond what the broker takes at rest. */
  readonly cpu: number;
  readonly seconds: number;
  readonly describes: number;
  /** Of its loop thread, at a stretch. */
  readonly blocked_ms: number;
}

/** What it costs the broker to compare everything that is its own in the cloud with what it knows. */
export const cloudSweep: Line = {
  names: ['cloud-sweep'],
  slow: true,

  async run({ quick }, _wanted, tell) {
    const sweeps = quick ? 1 : 3;
    const first = await fresh();
    const { directory, cloud } = first;
    await provision(first, { machines, each, templates: ['fleet'], patience_ms });
    await first.broker.stop();
    const delays = join(directory, 'delays.jsonl');
    const broker = await startWithSettings(directory, { settings, delays });
    await atRest(broker, cloud);
    const done: Swept[] = [];
    for (let sweep = 0; sweep < sweeps; sweep++) done.push(await oneSweep(broker, cloud, delays));
    const rss = rssMb(broker.pid) ?? Number.NaN;
    await requireUntouched(broker, cloud);
    await broker.stop();
    const measured = spread(done.map(({ cpu }) => cpu));
    const most = (of: (each: Swept) => number) => Math.max(...done.map(of));
    tell({
      name: 'cloud-sweep',
      title: `Sweep over ${machines.toLocaleString('en').replace(',', ' ')} machines, processor time`,
      unit: 's',
      measured,
      runs: sweeps,
      targets: [below(measured.most, 25, 's')],
      notes: [
        `${spread(done.map(({ seconds }) => seconds)).median.toFixed(1)} s long, ${most(({ describes }) => describes)} calls; the loop thread was blocked for ${Math.round(most(({ blocked_ms }) => blocked_ms))} ms at most; ${Math.round(rss)} MB at the end`,
      ],
    });
  },
};

/** Waits for the next sweep and for its end. */
async function oneSweep(broker: Broker, cloud: Cloud, delays: string): Promise<Swept> {
  const mark = await cloud.mark();
  const restBegan = performance.now();
  const restCpu = cpu(broker);
  let before = restCpu;
  let began = restBegan;
  while ((await cloud.mark()) === mark) {
    if (performance.now() - restBegan > patience_ms) throw new Error('No sweep came.');
    before = cpu(broker);
    began = performance.now();
    await wait(stepMs);
  }
  const idle = (before - restCpu) / Math.max(1, (began - restBegan) / 1000);
  const since = Date.now();
  const { at, used } = await atRest(broker, cloud);
  const seconds = (at - began) / 1000;
  const { describes } = await cloud.calls(mark);
  if (describes < machines / 1000) throw new Error(`A sweep over ${machines} machines asked ${describes} times.`);
  return { cpu: used - before - idle * seconds, seconds, describes, blocked_ms: longestBlock(delays, since) };
}

/** Waits until the broker has nothing to do. Gives when that began, and the processor time until then. */
async function atRest(broker: Broker, cloud: Cloud): Promise<{ readonly at: number; readonly used: number }> {
  const end = performance.now() + patience_ms;
  while (performance.now() < end) {
    const [mark, used, at] = [await cloud.mark(), cpu(broker), performance.now()];
    await wait(restMs);
    const busy = cpu(broker) - used;
    if (busy < (restShare * (performance.now() - at)) / 1000 && (await cloud.mark()) === mark) return { at, used };
  }
  throw new Error(`The broker did not come to rest within ${patience_ms / 1000} s.`);
}

const cpu = ({ pid }: Broker): number => cpuSeconds(pid) ?? Number.NaN;

function longestBlock(delays: string, since: number): number {
  if (!existsSync(delays)) return 0;
  const blocks = readFileSync(delays, 'utf8')
    .trim()
    .split('\n')
    .map((line): { thread: number; at: number; blocked_ms: number } => JSON.parse(line));
  return Math.max(
    0,
    ...blocks.filter(({ thread, at }) => thread > 0 && at >= since).map(({ blocked_ms }) => blocked_ms),
  );
}

/** A sweep that ended something, or took something for lost, did not compare what it was to compare. */
async function requireUntouched(broker: Broker, cloud: Cloud): Promise<void> {
  const running = await cloud.running();
  if (running !== machines) throw new Error(`The cloud has ${running} machines, of ${machines}.`);
  const { total_count } = await json(`${broker.api}/requests/?status=completed&limit=1`);
  if (total_count !== machines / each)
    throw new Error(`${total_count} requests are completed, of ${machines / each}.`);
}
