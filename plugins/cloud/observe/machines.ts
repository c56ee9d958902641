import type { MachineReport, MachineStatus, Shortfall } from '../../../core/index.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import { reasonFor } from '../faults/fault-codes.ts';
import { marketOfLifecycle, type Market } from '../launch/markets.ts';
import { type Pool, matchingPools } from '../launch/pools.ts';

/** The data that the core stores with a machine. */
export interface MachineData {
  readonly zone?: string;
  readonly market: Market;
  readonly machine_type?: string;
  readonly subnet_id?: string;
  /** Units of capacity that the machine counts as in its fleet. */
  readonly weight?: number;
}

/** The states of EC2. */
export const machineStates: Readonly<Record<string, MachineStatus>> = {
  pending: 'pending',
  running: 'running',
  'shutting-down': 'shutting-down',
  stopping: 'stopping',
  stopped: 'stopped',
  terminated: 'terminated',
};

/**
 * The report of a machine. `ready`: it runs, and its private name and address are known, which come a moment later.
 */
export function reportOf(instance: InstanceSummary, weight?: number): MachineReport {
  const status = machineStates[instance.State?.Name ?? ''] ?? 'pending';
  const name = instance.PrivateDnsName || undefined;
  // In a subnet without IPv4 a machine has an IPv6 address instead.
  const private_ip = instance.PrivateIpAddress || instance.Ipv6Address || undefined;
  const public_ip = instance.PublicIpAddress || undefined;
  const message = status === 'pending' || status === 'running' ? undefined : reasonOf(instance);
  const ended_at = status === 'pending' || status === 'running' ? undefined : endOf(instance);
  const data = dataOf(instance, weight);
  return {
    machine_id: instance.InstanceId ?? '',
    status,
    ...(name === undefined ? {} : { name }),
    ...(private_ip === undefined ? {} : { private_ip }),
    ...(public_ip === undefined ? {} : { public_ip }),
    ...(instance.LaunchTime === undefined ? {} : { launched_at: instance.LaunchTime.toISOString() }),
    ...(ended_at === undefined ? {} : { ended_at }),
    ready: status === 'running' && name !== undefined && private_ip !== undefined,
    ...(message === undefined ? {} : { message }),
    ...(instance.InstanceType === undefined ? {} : { machine_type: instance.InstanceType }),
    market: data.market,
    ...(data.zone === undefined ? {} : { zone: data.zone }),
    data,
  };
}

/**
 * When the machine began to end or to stop. EC2 tells it only in the text of the transition: `User initiated
 * (2026-01-31 18:05:09 GMT)`, and not for each cause.
 */
function endOf({ StateTransitionReason }: InstanceSummary): string | undefined {
  const [, day, time] = /\((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) GMT\)/.exec(StateTransitionReason ?? '') ?? [];
  const date = new Date(`${day}T${time}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function dataOf(instance: InstanceSummary, weight: number | undefined): MachineData {
  const zone = instance.Placement?.AvailabilityZone;
  return {
    ...(zone === undefined ? {} : { zone }),
    market: marketOfLifecycle(instance.InstanceLifecycle),
    ...(instance.InstanceType === undefined ? {} : { machine_type: instance.InstanceType }),
    ...(instance.SubnetId === undefined ? {} : { subnet_id: instance.SubnetId }),
    ...(weight === undefined ? {} : { weight }),
  };
}

function reasonOf({ StateReason, StateTransitionReason }: InstanceSummary): string | undefined {
  if (!StateReason?.Code) return StateTransitionReason || undefined;
  return stateReason(StateReason.Code, { StateReason }).message;
}

const stateReason = (code: string, { StateReason }: Pick<InstanceSummary, 'StateReason'>) =>
  reasonFor(code, (StateReason?.Message ?? '').replace(`${code}: `, ''));

/**
 * The shortfall of machines that the cloud accepted and then did not start. `instances`: machines that never ran. A
 * machine that a person or the machine itself ended is no lack of capacity.
 */
export function lateShortfall(instances: readonly InstanceSummary[], pools: readonly Pool[]): Shortfall[] {
  const found = new Map<string, Shortfall & { count: number }>();
  for (const instance of instances) {
    const code = instance.StateReason?.Code;
    const state = instance.State?.Name;
    if (!code || (state !== 'terminated' && state !== 'shutting-down')) continue;
    if (/UserInitiated|InstanceInitiated/.test(code)) continue;
    const [pool] = matchingPools(pools, {
      machine_type: instance.InstanceType,
      subnet_id: instance.SubnetId,
      market: marketOfLifecycle(instance.InstanceLifecycle),
    });
    const key = `${pool?.key}|${code}`;
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { ...(pool === undefined ? {} : { offer: pool.key }), ...stateReason(code, instance), count });
  }
  return [...found.values()];
}
