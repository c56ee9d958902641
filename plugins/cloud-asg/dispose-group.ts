import { isFault, type Call, type LaunchOrder, type Progress } from '../../core/index.ts';
import { dropLaunchTemplate, reportOf, machinesOfOrder, terminate, type CloudSession } from '../cloud/index.ts';
import { describeGroup, isDeleting } from './observe/describe-groups.ts';
import { changeGroup } from './observe/group-reads.ts';
import type { GroupHandle, Prepared } from './group-handle.ts';
import { groupName, isGroupOf } from './group-name.ts';

/** EC2 deletes a group some seconds after its last machine has ended. */
const retryLater: Progress = { done: false, again_ms: 2_000 };
const ended: ReadonlySet<string> = new Set(['shutting-down', 'terminated']);

/**
 * Deletes the group by force: its remaining machines have ended, or were being launched when the group was stopped.
 * Then terminates machines of the order that started late and belong to no group, and finally deletes the launch
 * template. The launch template goes last: without it a delayed CreateAutoScalingGroup call creates no new group.
 */
export async function disposeGroup(
  session: CloudSession,
  { order }: { readonly order: LaunchOrder<any, Prepared | undefined>; readonly handle?: GroupHandle },
  call: Call,
): Promise<Progress> {
  const name = groupName(session, order);
  const group = await describeGroup(session, name, call);
  if (group && isGroupOf(session, order, group)) {
    if (!isDeleting(group)) await deleteGroup(session, name, call);
    return retryLater;
  }
  const late = (await machinesOfOrder(session, order, call)).filter(({ State }) => !ended.has(State?.Name ?? ''));
  if (late.length > 0) {
    await terminate(
      session,
      late.map((instance) => reportOf(instance)),
      call,
    );
    return retryLater;
  }
  await dropLaunchTemplate(session, order, order.prepared?.template, call);
  return { done: true };
}

/** Deletes a group by force. A group that is gone or is being deleted is a success. */
export async function deleteGroup(session: CloudSession, name: string, call: Call): Promise<void> {
  try {
    await changeGroup(
      session,
      name,
      (sdk) => new sdk.DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }),
      call,
    );
  } catch (error) {
    if (!isFault(error) || (error.kind !== 'gone' && error.code !== 'ScalingActivityInProgress')) throw error;
  }
}
