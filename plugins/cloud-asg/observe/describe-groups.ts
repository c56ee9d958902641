import type { AutoScalingGroup, Instance } from '@aws-sdk/client-auto-scaling';
import { isFault, type Call, type ProviderFault } from '../../../core/index.ts';
import type { CloudSession } from '../../cloud/index.ts';
import type { GroupHandle } from '../group-handle.ts';
import { unitsOf } from '../launch/units.ts';
import { groupReads } from './group-reads.ts';

/**
 * Describes groups for an observation, as they are or were some seconds ago. The result is by name: groups that the
 * cloud does not show are missing, and those whose call failed have the fault.
 */
export async function describeGroups(
  session: CloudSession,
  handles: readonly GroupHandle[],
  call: Call,
): Promise<ReadonlyMap<string, AutoScalingGroup | ProviderFault>> {
  const found = new Map<string, AutoScalingGroup | ProviderFault>();
  const describe = async (handle: GroupHandle): Promise<void> => {
    try {
      const group = await groupReads(session).observe(handle.name, (each) => isFull(handle, each), call);
      if (group) found.set(handle.name, group);
    } catch (error) {
      if (!isFault(error)) throw error;
      found.set(handle.name, error);
    }
  };
  await Promise.all(handles.map(describe));
  return found;
}

/** Describes one group as it is now. Undefined: the cloud shows none of that name. */
export const describeGroup = (
  session: CloudSession,
  name: string,
  call: Call,
): Promise<AutoScalingGroup | undefined> => groupReads(session).read(name, call);

/**
 * Whether the deletion of the group was requested. The cloud shows the group until its last machine is gone; it starts
 * and changes nothing any more.
 */
export const isDeleting = ({ Status }: AutoScalingGroup): boolean => Status !== undefined && Status !== '';

export const isSuspended = ({ SuspendedProcesses }: AutoScalingGroup, process: string): boolean =>
  SuspendedProcesses?.some(({ ProcessName }) => ProcessName === process) ?? false;

/** Whether a group has its desired capacity, ready or not. */
export const isFull = (handle: GroupHandle, group: AutoScalingGroup): boolean =>
  unitsOf(handle, membersOf(group)) >= (group.DesiredCapacity ?? 0);

/**
 * Members that count toward the size of the group: not those that are being terminated or detached, or are in a warm
 * pool.
 */
export const membersOf = ({ Instances }: AutoScalingGroup): readonly Instance[] =>
  (Instances ?? []).filter(({ LifecycleState }) => !/^(Terminat|Detach|Warmed)/.test(LifecycleState ?? ''));

/** Whether a member is not in service yet. */
export const isPending = ({ LifecycleState }: Pick<Instance, 'LifecycleState'>): boolean =>
  LifecycleState?.startsWith('Pending') === true;
