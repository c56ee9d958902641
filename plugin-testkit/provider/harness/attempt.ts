import { createHash } from 'node:crypto';
import type { Launch, LaunchOrder, MachineRef, MachineReport, Observation, Shortfall } from '../../../core/index.ts';

export type Order = LaunchOrder<any, any>;

/** The data of one attempt that the broker would have stored. */
export interface Attempt {
  readonly order: Order;
  handle: object;
  settled: boolean;
  /** The provider retries by itself without result. */
  stuck: boolean;
  shortfall: readonly Shortfall[];
  /** Every machine ever reported, with its last report. */
  readonly machines: Map<string, MachineReport>;
  /** Machines that the last observation listed as pending or running. */
  alive: readonly string[];
}

/** Differences of an order from the default order. */
export interface OrderOptions {
  readonly count?: number;
  readonly request_id?: string;
  readonly attempt?: number;
  readonly installation?: string;
}

/** A copy that passed through JSON, as from the store. */
export const stored = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

export const refOf = ({
  machine_id,
  status,
  launched_at,
  zone,
  market,
  reclaim_at,
  data,
}: MachineReport): MachineRef =>
  stored({
    machine_id,
    status,
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(zone === undefined ? {} : { zone }),
    ...(market === undefined ? {} : { market }),
    ...(typeof reclaim_at === 'string' ? { reclaim_at } : {}),
    ...(data === undefined ? {} : { data }),
  });

/** The attempt immediately after its launch. */
export function launched(order: Order, { handle, settled, shortfall = [], machines = [] }: Launch): Attempt {
  return {
    order,
    handle,
    settled,
    stuck: false,
    shortfall,
    machines: new Map(machines.map((report) => [report.machine_id, report])),
    alive: aliveOf(machines),
  };
}

/** Applies an observation to an attempt. */
export function apply(attempt: Attempt, seen: Observation): void {
  if (seen.handle !== undefined) attempt.handle = seen.handle;
  attempt.settled = seen.settled;
  attempt.stuck = seen.stuck === true;
  attempt.shortfall = [...attempt.shortfall, ...(seen.shortfall ?? [])];
  attempt.alive = aliveOf(seen.machines);
  for (const report of seen.machines) attempt.machines.set(report.machine_id, report);
}

/** Machines that are not known to be gone, as the broker passes them to the plugin. */
export const knownOf = ({ machines }: Attempt): MachineRef[] =>
  [...machines.values()].filter(({ status }) => status !== 'terminated').map(refOf);

const aliveOf = (machines: readonly MachineReport[]): string[] =>
  machines.filter(({ status }) => status === 'pending' || status === 'running').map(({ machine_id }) => machine_id);

/** A token in the form of the broker's: 52 characters of `[a-v0-9]`. */
export function tokenOf(installation: string, request_id: string, attempt: number): string {
  const digest = createHash('sha256').update(`${installation} ${request_id} ${attempt}`).digest('hex');
  return BigInt(`0x${digest}`).toString(32).padStart(52, '0');
}
