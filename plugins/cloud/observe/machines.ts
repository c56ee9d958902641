import type { Instance } from '@aws-sdk/client-ec2';
import type { MachineReport, MachineStatus, Shortfall } from '../../../core/index.ts';
import { kindOfReason } from '../faults/fault-codes.ts';
import { type Market, type Pool, poolsSeen } from '../launch/pools.ts';
import { ownTags } from '../template/tags.ts';

/** What we keep with a machine. */
export interface MachineData {
  readonly zone?: string;
  readonly market: Market;
  readonly machine_type?: string;
  readonly subnet_id?: string;
  /** Units of capacity that it counts as in its fleet. */
  readonly weight?: number;
}

const states: Readonly<Record<string, MachineStatus>> = {
  pending: 'pending',
  running: 'running',
  'shutting-down': 'shutting-down',
  stopping: 'stopping',
  stopped: 'stopped',
  terminated: 'terminated',
};

/**
 * Keeps the part that is used of what EC2 says of a machine: it says some kilobytes of each, and ten thousand of them
 * would fill the heap.
 */
export const seenMachine = (instance: Instance) =>
  ({
    InstanceId: instance.InstanceId,
    State: instance.State,
    StateReason: instance.StateReason,
    StateTransitionReason: instance.StateTransitionReason,
    InstanceLifecycle: instance.InstanceLifecycle,
    InstanceType: instance.InstanceType,
    SubnetId: instance.SubnetId,
    PrivateDnsName: instance.PrivateDnsName,
    PrivateIpAddress: instance.PrivateIpAddress,
    PublicIpAddress: instance.PublicIpAddress,
    LaunchTime: instance.LaunchTime,
    Placement: { AvailabilityZone: instance.Placement?.AvailabilityZone },
    Tags: instance.Tags?.filter(({ Key }) => own.has(Key ?? '')),
  }) satisfies Instance;

/** What is used of what EC2 says of a machine. */
export type SeenMachine = Pick<Instance, keyof ReturnType<typeof seenMachine>>;

const own: ReadonlySet<string> = new Set(Object.values(ownTags));

/**
 * What EC2 says of a machine. `ready`: running, and its private name and address are known, which comes a moment
 * later.
 */
export function reportOf(instance: SeenMachine, weight?: number): MachineReport {
  const status = states[instance.State?.Name ?? ''] ?? 'pending';
  const name = instance.PrivateDnsName || undefined;
  const private_ip = instance.PrivateIpAddress || undefined;
  const public_ip = instance.PublicIpAddress || undefined;
  const message = status === 'pending' || status === 'running' ? undefined : reasonOf(instance);
  const data = dataOf(instance, weight);
  return {
    machine_id: instance.InstanceId ?? '',
    status,
    ...(name === undefined ? {} : { name }),
    ...(private_ip === undefined ? {} : { private_ip }),
    ...(public_ip === undefined ? {} : { public_ip }),
    ...(instance.LaunchTime === undefined ? {} : { launched_at: instance.LaunchTime.toISOString() }),
    ready: status === 'running' && name !== undefined && private_ip !== undefined,
    ...(message === undefined ? {} : { message }),
    ...(instance.InstanceType === undefined ? {} : { machine_type: instance.InstanceType }),
    market: instance.InstanceLifecycle === 'capacity-block' ? 'capacity-block' : data.market,
    ...(data.zone === undefined ? {} : { zone: data.zone }),
    data,
  };
}

function dataOf(instance: SeenMachine, weight: number | undefined): MachineData {
  const zone = instance.Placement?.AvailabilityZone;
  return {
    ...(zone === undefined ? {} : { zone }),
    market: marketOf(instance),
    ...(instance.InstanceType === undefined ? {} : { machine_type: instance.InstanceType }),
    ...(instance.SubnetId === undefined ? {} : { subnet_id: instance.SubnetId }),
    ...(weight === undefined ? {} : { weight }),
  };
}

/** On-demand machines have no life cycle at all; words that are not Spot's count as on demand. */
export const marketOf = (instance: Pick<Instance, 'InstanceLifecycle'>): Market =>
  instance.InstanceLifecycle === 'spot' ? 'spot' : 'on-demand';

function reasonOf({ StateReason, StateTransitionReason }: SeenMachine): string | undefined {
  if (!StateReason?.Code) return StateTransitionReason || undefined;
  const said = (StateReason.Message ?? '').replace(`${StateReason.Code}: `, '').replace(/[.\s]+$/, '');
  return `${said || 'The cloud gave no reason'}. Error Code: ${StateReason.Code}`;
}

/**
 * Machines that the cloud accepted and then did not start: an acceptance is not yet a machine. `instances` are those
 * that never ran; one that a person ended, or that ended itself, is no want of capacity.
 */
export function lateShortfall(instances: readonly SeenMachine[], pools: readonly Pool[]): Shortfall[] {
  const found = new Map<string, Shortfall & { count: number }>();
  for (const instance of instances) {
    const code = instance.StateReason?.Code;
    const state = instance.State?.Name;
    if (!code || (state !== 'terminated' && state !== 'shutting-down')) continue;
    if (/UserInitiated|InstanceInitiated/.test(code)) continue;
    const kind = kindOfReason(code, instance.StateReason?.Message);
    const [pool] = poolsSeen(pools, {
      machine_type: instance.InstanceType,
      subnet_id: instance.SubnetId,
      market: marketOf(instance),
    });
    const key = `${pool?.key}|${code}`;
    const count = (found.get(key)?.count ?? 0) + 1;
    const message = reasonOf(instance) ?? code;
    found.set(key, { ...(pool === undefined ? {} : { offer: pool.key }), kind, code, message, count });
  }
  return [...found.values()];
}
