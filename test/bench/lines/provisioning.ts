import { setTimeout as wait } from 'node:timers/promises';
import { startBroker, type Broker } from '../processes/broker.ts';
import { openCloud, type Cloud } from '../processes/cloud.ts';
import { json } from '../processes/http.ts';
import { rssMb } from '../processes/usage.ts';
import { workplace } from '../processes/workplace.ts';

const bootMs = 1_000;
const machinesEach = 100;
const patienceMs = 60_000;

export interface Provisioning {
  readonly broker: Broker;
  readonly cloud: Cloud;
}

/** A broker and its cloud, both fresh; they have not met yet. */
export async function fresh(): Promise<Provisioning> {
  const directory = workplace();
  const cloud = await openCloud(directory, bootMs);
  const broker = await startBroker(directory);
  return { broker, cloud };
}

export interface Provisioned {
  readonly seconds: number;
  readonly describes: number;
  readonly launches: number;
  readonly rss_mb: number;
}

/** Asks for machines, 100 in a request, through both APIs, and waits until all of them run. */
export async function provision({ broker, cloud }: Provisioning, machines: number): Promise<Provisioned> {
  const began = performance.now();
  const before = await cloud.calls();
  const asked = await Promise.all(
    Array.from({ length: machines / machinesEach }, (_, index) =>
      json(`${broker.api}/machines/request`, 'POST', { template_id: index % 2 === 0 ? 'run' : 'fleet', machine_count: machinesEach }),
    ),
  );
  const open = new Set<string>(asked.map(({ request_id }) => request_id));
  while (open.size > 0) {
    for (const request_id of open) {
      const { status, message } = await json(`${broker.api}/requests/${request_id}/status?long=false`);
      if (status === 'pending' || status === 'in_progress') break;
      if (status !== 'completed') throw new Error(`${request_id} is ${status}: ${message}`);
      open.delete(request_id);
    }
    if (performance.now() - began > patienceMs) throw new Error(`${open.size} requests were not completed within ${patienceMs / 1000} s.`);
    await wait(50);
  }
  const seconds = (performance.now() - began) / 1000;
  const after = await cloud.calls();
  const running = await cloud.running();
  if (running < machines) throw new Error(`The cloud has ${running} machines, of ${machines}.`);
  return {
    seconds,
    describes: after.describes - before.describes,
    launches: after.launches - before.launches,
    rss_mb: rssMb(broker.pid) ?? Number.NaN,
  };
}
