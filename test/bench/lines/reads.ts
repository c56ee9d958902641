import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { against } from '../measure/against.ts';
import { startBroker, type Broker } from '../processes/broker.ts';
import { Child } from '../processes/child.ts';
import { openCloud } from '../processes/cloud.ts';
import { call, json } from '../processes/http.ts';
import { workplace } from '../processes/workplace.ts';
import type { Line } from './line.ts';

const requests = 1_000;
const large = 1_000;

interface Page {
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly least?: number;
  readonly rate?: number;
}

/** Questions, each against a bare server that answers the very bytes that the broker answered. */
export const reads: Line = {
  names: [
    'template',
    'status-1',
    'status-1000',
    'list',
    'templates',
    'providers',
    'provider',
    'capabilities',
    'request-provider',
  ],

  async run({ quick, rounds, seconds }, wanted, tell) {
    const directory = workplace();
    await openCloud(directory, { boot_ms: 50 });
    const broker = await startBroker(directory);
    const pages = (await makePages(broker, quick)).filter(({ name }) => wanted(name));
    const bare = Child.of(join(import.meta.dirname, '../baselines/read.ts'));
    const { url } = await bare.ask<{ url: string }>({
      pages: await Promise.all(pages.map((page) => copied(broker, page.path))),
    });
    for (const { path, ...page } of pages) {
      const subject = { url: `${broker.api}${path}`, pid: broker.pid };
      const baseline = { url: `${url}${path}`, pid: bare.pid };
      const pairs = [{ subject, baseline }];
      tell(await against({ ...page, pairs, cpuCounts: true, loadStaysAwake: true, rounds, seconds }));
    }
    await Promise.all([bare.stop(), broker.stop()]);
  },
};

/** Makes what is asked for: one request of 1000 machines and 999 of one. */
async function makePages(broker: Broker, quick: boolean): Promise<readonly Page[]> {
  const many = await request(broker, 'fleet', large);
  const ids: string[] = [];
  const count = quick ? 200 : requests - 1;
  const askers = Array.from({ length: 20 }, async () => {
    while (ids.length < count) {
      const index = ids.push('') - 1;
      ids[index] = await request(broker, index % 2 === 0 ? 'run' : 'fleet', 1);
    }
  });
  await Promise.all(askers);
  await completed(broker, count + 1);
  const [one] = ids;
  return [
    { name: 'template', title: 'GET a template', path: '/templates/fleet', least: 0.75 },
    { name: 'status-1', title: 'GET status, 1 machine', path: `/requests/${one}/status`, least: 0.5 },
    {
      name: 'status-1000',
      title: 'GET status, 1000 machines',
      path: `/requests/${many}/status`,
      least: 0.15,
      rate: 500,
    },
    { name: 'list', title: `GET 50 of ${count + 1} requests`, path: '/requests/?limit=50', least: 0.35, rate: 1_500 },
    { name: 'templates', title: 'GET the templates', path: '/templates/', least: 0.45 },
    { name: 'providers', title: 'GET the providers', path: '/providers/', least: 0.45 },
    { name: 'provider', title: 'GET a provider', path: '/providers/simulated', least: 0.45 },
    {
      name: 'capabilities',
      title: 'GET the capabilities of a provider',
      path: '/providers/simulated/capabilities',
      least: 0.45,
    },
    {
      name: 'request-provider',
      title: 'GET a request with its provider',
      path: `/requests/${one}/provider`,
      least: 0.45,
    },
  ];
}

async function request(broker: Broker, template_id: string, machine_count: number): Promise<string> {
  const { request_id } = await json(`${broker.api}/machines/request`, 'POST', { template_id, machine_count });
  return request_id;
}

async function completed(broker: Broker, count: number): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    const { total_count } = await json(`${broker.api}/requests/?status=completed&limit=1`);
    if (total_count === count) return;
    if (performance.now() > end)
      throw new Error(`Only ${total_count} of ${count} requests were completed within a minute.`);
    await wait(100);
  }
}

async function copied(broker: Broker, path: string) {
  const { status, type, body } = await call(`${broker.api}${path}`);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.toString()}`);
  return { path: path.split('?', 1)[0], type, body: body.toString('base64') };
}
