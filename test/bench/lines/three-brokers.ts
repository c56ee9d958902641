import { mkdirSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { postgresServer, type PostgresServer } from '../../support/postgres-server.ts';
import { spread } from '../measure/numbers.ts';
import { startBroker, type Broker } from '../processes/broker.ts';
import { openCloud, type Cloud } from '../processes/cloud.ts';
import { json } from '../processes/http.ts';
import { cpuSeconds, rssMb } from '../processes/usage.ts';
import { workplace } from '../processes/workplace.ts';
import { below, type Row } from '../report/row.ts';
import { asOnAws } from './as-on-aws.ts';
import type { Line } from './line.ts';

const accounts = ['one', 'two'];
/** What an account that starts so many machines has been granted; all other rates are AWS's own. */
const granted = { capacity: 10_000, per_second: 1_000 };
const idleMs = 20_000;
/** The launch is over, and the sweep that follows it. */
const settleMs = 40_000;
const steadyMs = 120_000;
const patienceMs = 300_000;

interface Cluster {
  readonly server: PostgresServer;
  readonly cloud: Cloud;
  readonly brokers: readonly Broker[];
}

/** Three brokers on one PostgreSQL, and two accounts of one simulated cloud. */
export const threeBrokers: Line = {
  names: ['brokers-idle', 'brokers-ten-thousand', 'brokers-hundred-thousand', 'brokers-take-over'],
  slow: true,

  async run(_effort, wanted, tell) {
    if (wanted('brokers-idle') || wanted('brokers-ten-thousand'))
      await withCluster(async (cluster) => {
        if (wanted('brokers-idle')) tell(await idle(cluster));
        if (wanted('brokers-ten-thousand')) tell(await tenThousand(cluster));
      });
    if (wanted('brokers-hundred-thousand') || wanted('brokers-take-over'))
      await withCluster(async (cluster) => {
        await provision(cluster, 100_000, 500);
        await wait(settleMs);
        if (wanted('brokers-hundred-thousand')) tell(await steady(cluster));
        if (wanted('brokers-take-over')) tell(await takeOver(cluster));
      });
  },
};

async function withCluster(use: (cluster: Cluster) => Promise<void>): Promise<void> {
  // As durable as a server is by default.
  const server = await postgresServer({ fsync: 'on', full_page_writes: 'on' });
  const brokers: Broker[] = [];
  try {
    const home = workplace();
    const cloud = await openCloud(home, {
      boot_ms: 1_000,
      ...asOnAws({ throttle: { buckets: { RunInstances: { requests: granted, resources: granted } } } }).knobs,
    });
    const rate_limits = { enabled: true, buckets: { RunInstances: { requests: granted, machines: granted } } };
    const providers = accounts.map((name) => ({
      name,
      type: 'cloud',
      config: {
        endpoint_url: cloud.url,
        access_key_id: `AKIABENCH${name.toUpperCase()}`,
        secret_access_key: 'bench',
        rate_limits,
      },
    }));
    const more = { storage: { type: 'postgres', url: server.url }, providers };
    for (let i = 0; i < 3; i++) brokers.push(await startBroker(placeIn(home, `broker-${i}`, more)));
    await use({ server, cloud, brokers });
  } finally {
    await Promise.all(brokers.map((broker) => broker.stop()));
    await server.remove();
  }
}

/** A data directory with the templates of `home`, which goes with it. */
function placeIn(home: string, name: string, more: object): string {
  const directory = join(home, name);
  mkdirSync(directory);
  copyFileSync(join(home, 'templates.json'), join(directory, 'templates.json'));
  const server = { max_pending: 10_000_000, rate_limit: { enabled: false }, log_level: 'warn' };
  writeFileSync(join(directory, 'muster.config.json'), JSON.stringify({ server, ...more }));
  return directory;
}

async function idle({ server, brokers }: Cluster): Promise<Row> {
  await wait(idleMs / 2);
  const before = await Promise.all([transactions(server), usage(brokers)]);
  await wait(idleMs);
  const after = await Promise.all([transactions(server), usage(brokers)]);
  const percent = ((after[1] - before[1]) / brokers.length / (idleMs / 1000)) * 100;
  // One of them is this question.
  const perSecond = (after[0] - before[0] - 1) / brokers.length / (idleMs / 1000);
  return {
    name: 'brokers-idle',
    title: 'Three idle brokers on PostgreSQL, each',
    unit: '% of a core',
    measured: spread([percent]),
    runs: 1,
    targets: [below(percent, 1, '%'), below(perSecond, 10, 'transactions/s')],
    notes: [`${perSecond.toFixed(1)} transactions a second`],
  };
}

async function tenThousand(cluster: Cluster): Promise<Row> {
  const seconds = await provision(cluster, 10_000, 100);
  return {
    name: 'brokers-ten-thousand',
    title: '10 000 machines to running, three brokers',
    unit: 's',
    measured: spread([seconds]),
    runs: 1,
    targets: [below(seconds, 20, 's')],
    notes: [`requests held by each: ${(await holds(cluster.brokers)).join(', ')}`],
  };
}

async function steady({ cloud, brokers }: Cluster): Promise<Row> {
  const [mark, before] = [await cloud.mark(), await usage(brokers)];
  await wait(steadyMs);
  const { describes, throttled } = await cloud.calls(mark);
  const percent = (((await usage(brokers)) - before) / (steadyMs / 1000)) * 100;
  const mb = brokers.map(({ pid }) => rssMb(pid) ?? Number.NaN);
  return {
    name: 'brokers-hundred-thousand',
    title: '100 000 machines that live, three brokers',
    unit: '% of a core',
    measured: spread([percent]),
    runs: 1,
    targets: [below(percent, 15, '%'), below(throttled, 1, 'throttled'), below(Math.max(...mb), 500, 'MB')],
    notes: [
      `${Math.round(describes / (steadyMs / 60_000))} describe calls a minute; memory ${mb.map(Math.round).join(', ')} MB`,
    ],
  };
}

async function takeOver({ cloud, brokers }: Cluster): Promise<Row> {
  const [first, ...others] = brokers as [Broker, ...Broker[]];
  const all = (await holds(brokers)).reduce((sum, each) => sum + each, 0);
  const mark = await cloud.mark();
  const began = performance.now();
  process.kill(first.pid, 'SIGKILL');
  let held = 0;
  while (held < all && performance.now() - began < patienceMs) {
    await wait(200);
    held = (await holds(others)).reduce((sum, each) => sum + each, 0);
  }
  const seconds = (performance.now() - began) / 1000;
  await wait(settleMs);
  const { throttled } = await cloud.calls(mark);
  return {
    name: 'brokers-take-over',
    title: 'Take-over of the machines of a dead broker',
    unit: 's',
    measured: spread([seconds]),
    runs: 1,
    targets: [below(seconds, 30, 's'), below(throttled, 1, 'throttled')],
    notes: [`${held} of ${all} requests held by the other two`],
  };
}

/** Asks all brokers in turn for machines at both accounts, and waits until all run. In seconds. */
async function provision({ brokers, cloud }: Cluster, machines: number, each: number): Promise<number> {
  const began = performance.now();
  const open = new Set<string>();
  await Promise.all(
    Array.from({ length: machines / each }, async (_, index) => {
      const { request_id } = await json(`${brokers[index % brokers.length]?.api}/requests/`, 'POST', {
        template_id: index % 4 < 2 ? 'run' : 'fleet',
        machine_count: each,
        provider_preference: { provider_instance: accounts[index % accounts.length] },
      });
      open.add(request_id);
    }),
  );
  while (open.size > 0) {
    for (const request_id of open) {
      const { status, message } = await json(`${brokers[0]?.api}/requests/${request_id}/status?long=false`);
      if (status === 'pending' || status === 'in_progress') break;
      if (status !== 'completed') throw new Error(`${request_id} is ${status}: ${message}`);
      open.delete(request_id);
    }
    if (performance.now() - began > patienceMs) throw new Error(`${open.size} requests were not completed in time.`);
    await wait(50);
  }
  const seconds = (performance.now() - began) / 1000;
  const running = await cloud.running();
  if (running < machines) throw new Error(`The cloud has ${running} machines, of ${machines}.`);
  return seconds;
}

/** How many requests each of them works on. */
async function holds(brokers: readonly Broker[]): Promise<readonly number[]> {
  const { brokers: listed } = await json(`${brokers[0]?.api}/brokers/`);
  return brokers.map(({ pid }) => listed.find((each: { readonly pid: number }) => each.pid === pid)?.holds ?? 0);
}

/** Seconds of processor time of all. */
const usage = async (brokers: readonly Broker[]): Promise<number> =>
  brokers.reduce((sum, { pid }) => sum + (cpuSeconds(pid) ?? Number.NaN), 0);

/** Transactions that the server has finished. */
async function transactions({ url }: PostgresServer): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ n: string }>(
      'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]?.n);
  } finally {
    await client.end();
  }
}
