import { setTimeout as wait } from 'node:timers/promises';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { startBroker, type Broker } from '../processes/broker.ts';
import { openCloud, type Cloud } from '../processes/cloud.ts';
import { json } from '../processes/http.ts';
import { rssMb } from '../processes/usage.ts';
import { workplace } from '../processes/workplace.ts';

export interface Provisioning {
  readonly directory: string;
  readonly broker: Broker;
  readonly cloud: Cloud;
}

export interface FreshOptions {
  /** Of the simulated cloud. Default: machines boot in a second. */
  readonly knobs?: KnobChange;
  /** Laid over the configuration of the provider instance. */
  readonly config?: object;
  /** Added to the environment of the broker. */
  readonly env?: Record<string, string>;
}

/** A broker and its cloud, both fresh; they have not met yet. */
export const fresh = ({ config, ...options }: FreshOptions = {}): Promise<Provisioning> =>
  freshAt(workplace(config), options);

/** The same in a directory that is there already. */
export async function freshAt(
  directory: string,
  { knobs, env }: Omit<FreshOptions, 'config'> = {},
): Promise<Provisioning> {
  const cloud = await openCloud(directory, { boot_ms: 1_000, ...knobs });
  const broker = await startBroker(directory, env);
  return { directory, broker, cloud };
}

export interface Wanted {
  readonly machines: number;
  /** Machines in a request. Default 100. */
  readonly each?: number;
  /** Templates that the requests take in turn. Default: half through RunInstances and half through EC2Fleet. */
  readonly templates?: readonly string[];
  readonly patience_ms?: number;
}

export interface Provisioned {
  readonly request_ids: readonly string[];
  readonly seconds: number;
  readonly describes: number;
  readonly launches: number;
  readonly throttled: number;
  readonly rss_mb: number;
}

/** Asks for machines and waits until all of them run. */
export async function provision({ broker, cloud }: Provisioning, wanted: Wanted): Promise<Provisioned> {
  const { machines, each = 100, templates = ['run', 'fleet'], patience_ms = 60_000 } = wanted;
  const before = await cloud.mark();
  const began = performance.now();
  const asked = await Promise.all(
    Array.from({ length: machines / each }, (_, index) =>
      json(`${broker.api}/machines/request`, 'POST', {
        template_id: templates[index % templates.length],
        machine_count: each,
      }),
    ),
  );
  const request_ids = asked.map(({ request_id }): string => request_id);
  await completed(broker, request_ids, patience_ms);
  const seconds = (performance.now() - began) / 1000;
  const calls = await cloud.calls(before);
  const running = await cloud.running();
  if (running < machines) throw new Error(`The cloud has ${running} machines, of ${machines}.`);
  return { ...calls, request_ids, seconds, rss_mb: rssMb(broker.pid) ?? Number.NaN };
}

/** Waits until all of the requests are completed. */
export async function completed(broker: Broker, request_ids: readonly string[], patience_ms = 60_000): Promise<void> {
  const began = performance.now();
  const open = new Set(request_ids);
  for (;;) {
    for (const request_id of open) {
      const { status, message } = await json(`${broker.api}/requests/${request_id}/status?long=false`);
      if (status === 'pending' || status === 'in_progress') break;
      if (status !== 'completed') throw new Error(`${request_id} is ${status}: ${message}`);
      open.delete(request_id);
    }
    if (open.size === 0) return;
    if (performance.now() - began > patience_ms)
      throw new Error(`${open.size} requests were not completed within ${patience_ms / 1000} s.`);
    await wait(50);
  }
}
