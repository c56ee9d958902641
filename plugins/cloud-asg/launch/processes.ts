import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Call } from '../../../core/index.ts';
import { isSuspended } from '../observe/describe-groups.ts';
import { changeGroup } from '../observe/group-reads.ts';
import type { CloudSession } from '../../cloud/index.ts';

/**
 * The processes that are suspended in each group of muster. Without `Terminate` no decision of the group can end a
 * machine, whatever its size is set to. Without the others the group replaces and moves no machine. `HealthCheck`
 * stays active, because it only reports the health of machines.
 */
export const suspendedProcesses = [
  'Terminate',
  'AZRebalance',
  'ReplaceUnhealthy',
  'InstanceRefresh',
  'ScheduledActions',
  'AlarmNotification',
] as const;

/** When this process is suspended, the group never grows again. muster never resumes it. */
export const launchProcess = 'Launch';

/**
 * Suspends those of `processes` that are still active. Suspensions are permanent, so that a late or repeated call
 * changes nothing.
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
  await changeGroup(
    session,
    name,
    (sdk) => new sdk.SuspendProcessesCommand({ AutoScalingGroupName: name, ScalingProcesses }),
    call,
  );
}

/**
 * The longest time between the decision of a group to start a machine, before the group was stopped, and the
 * appearance of the machine.
 */
const inFlightMs = 15_000;

/** Whether a stopped group may still get machines. The time is counted from the first call. */
export const mayStillLaunch = (session: CloudSession, name: string): boolean =>
  session.consistencyGrace.has(`stopped ${name}`, inFlightMs);

/** Settings with which a group replaces machines by itself. Groups of muster have none of them. */
export const replacementSettings = ['CapacityRebalance', 'MaxInstanceLifetime', 'InstanceMaintenancePolicy'] as const;
