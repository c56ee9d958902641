import type { ExecutionContext } from 'ava';
import {
  isFault,
  systemClock,
  type Clock,
  type Observation,
  type ProviderFault,
  type Watched,
} from '../../../core/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { prepared, sleep, stage, type Stage } from './support.ts';

/**
 * Requests of such names are due for their first full look two minutes after the start and later, at different times.
 */
const late = [1, 3, 4, 7, 10, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22];

/**
 * Machines at rest in a cloud, watched as the core watches them; the session's time stands until it is pushed ahead.
 */
export interface SteadyStage extends Stage {
  /** Starts machines of one request in a subnet, and has them seen once in full. */
  steady(machines: number, subnet: string): Promise<Watched>;
  /** Lets time pass for the session, not for the cloud. */
  pass(ms: number): void;
  /** What a look sees, and how many calls it made, by action. */
  observe(
    watched: readonly Watched[],
  ): Promise<{ seen: (Observation | ProviderFault)[]; calls: Record<string, number> }>;
}

export async function steadyStage(): Promise<SteadyStage> {
  let ahead = 0;
  let orders = 0;
  const clock: Clock = {
    now: () => Date.now() + ahead,
    monotonic: () => ahead,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  };
  const cloud = await stage({ cloud_max_retries: 0 }, { clock });
  const here: SteadyStage = {
    ...cloud,
    async steady(machines, subnet) {
      const request_id = `steady-${late[orders++]}`;
      const order = await prepared(runInstances, cloud, {
        request_id,
        machine_count: machines,
        template: { subnet_ids: [subnet] } as any,
      });
      const { handle } = await runInstances.launch(cloud.session, order, cloud.call);
      await sleep(30);
      const [seen] = await runInstances.observe(cloud.session, [{ handle, order, known: [] }], cloud.call);
      return knowing({ handle, order, known: [] }, seen);
    },
    pass: (ms) => void (ahead += ms),
    async observe(watched) {
      const before = cloud.simulator.audit().at(-1)?.n ?? 0;
      const seen = await runInstances.observe(cloud.session, watched, cloud.call);
      const calls: Record<string, number> = {};
      for (const { action } of cloud.simulator.audit(before)) calls[action] = (calls[action] ?? 0) + 1;
      return { seen: [...seen], calls };
    },
  };
  return here;
}

/** What the core knows after a look. */
export function knowing(watched: Watched, seen: Observation | ProviderFault | undefined): Watched {
  if (!seen || isFault(seen)) throw seen;
  const known = seen.machines.flatMap(({ machine_id, status, launched_at, data }) =>
    status === 'terminated'
      ? []
      : [
          {
            machine_id,
            status,
            ...(launched_at ? { launched_at } : {}),
            ...(data ? { data: JSON.parse(JSON.stringify(data)) } : {}),
          },
        ],
  );
  return { ...watched, known, steady: true };
}

export function machinesOf(seen: Observation | ProviderFault | undefined): Observation['machines'] {
  if (!seen || isFault(seen)) throw seen;
  return seen.machines;
}

/** How many machines each attempt has in a status; -1 where it could not be observed. */
export const inStatus = (seen: readonly (Observation | ProviderFault)[], status: string): number[] =>
  seen.map((each) => (isFault(each) ? -1 : each.machines.filter((machine) => machine.status === status).length));

/** The tags of an order's machines. */
export const instanceTags = ({ request_id, attempt }: { request_id: string; attempt: number }) =>
  Object.entries({
    'muster:installation': 'inst-1',
    'muster:request-id': request_id,
    'muster:attempt': String(attempt),
  }).map(([Key, Value]) => ({ Key, Value }));

/** Twelve hundred machines of six requests in two zones, whose first look at rest is over. */
export async function many(t: ExecutionContext): Promise<{ there: SteadyStage; watched: Watched[] }> {
  const there = await steadyStage();
  t.teardown(there.close);
  const watched: Watched[] = [];
  for (let i = 0; i < 6; i++) watched.push(await there.steady(200, i % 2 === 0 ? 'subnet-1' : 'subnet-2'));
  await there.observe(watched);
  there.pass(30_000);
  return { there, watched };
}
