import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Call } from '../../../core/index.ts';
import { isSuspended } from '../observe/describe-groups.ts';
import type { CloudSession } from '../../cloud/index.ts';

/**
 * What a group of ours never does by itself. Without `Terminate` nothing that it decides can end a machine, whatever
 * its size is set to; without the others it replaces and moves nothing. `HealthCheck` goes on: it only says how
 * machines are. /
 */
export const quiet = [
  'Terminate',
  'AZRebalance',
  'ReplaceUnhealthy',
  'InstanceRefresh',
  'ScheduledActions',
  'AlarmNotification',
] as const;

/** From then on a group never grows again. Nobody resumes it. */
export const growth = 'Launch';

/**
 * Suspends what of `processes` still goes on. Each suspension is for good, so that saying it late or twice changes
 * nothing.
 */
export async function suspend(
  session: CloudSession,
  name: string,
  processes: readonly string[],
  call: Call,
  group?: AutoScalingGroup,
): Promise<void> {
  const ScalingProcesses = processes.filter((process) => !group || !isSuspended(group, process));
  if (ScalingProcesses.length === 0) return;
  await session.groups.write(
    (sdk) => new sdk.SuspendProcessesCommand({ AutoScalingGroupName: name, ScalingProcesses }),
    call,
  );
}

/** So long may pass between what a group has decided to start, before it was told to stop, and its machines. */
const onTheirWayMs = 15_000;

/** Whether a group that was stopped may still get machines; counted from the first call. */
export const mayBeOnTheirWay = (session: CloudSession, name: string): boolean =>
  session.consistencyGrace.has(`stopped ${name}`, onTheirWayMs);

/** Settings of a group with which it swaps machines by itself; muster's groups have none of them. */
export const swaps = ['CapacityRebalance', 'MaxInstanceLifetime', 'InstanceMaintenancePolicy'] as const;
