import { isFault, type Call, type LaunchOrder, type Progress } from '../../core/index.ts';
import { dropLaunchTemplate, reportOf, seenMachines, terminate, type CloudSession } from '../cloud/index.ts';
import { describeGroup, isDeleting } from './observe/describe-groups.ts';
import type { GroupHandle, Prepared } from './group-handle.ts';
import { groupName, isGroupOf } from './group-name.ts';

/** A group needs its machines' end, and then some seconds. */
const again: Progress = { done: false, again_ms: 2_000 };
const over: ReadonlySet<string> = new Set(['shutting-down', 'terminated']);

/**
 * Deletes the group by force: no machine of it is wanted, and those that it still lists have ended, or were on their
 * way when it was stopped. Then what came late and is in no group, then the launch template: last, because without it
 * a call that arrives late makes no new group. /
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
    return again;
  }
  const late = (await seenMachines(session, order, call)).filter(({ State }) => !over.has(State?.Name ?? ''));
  if (late.length > 0) {
    await terminate(
      session,
      late.map((instance) => reportOf(instance)),
      call,
    );
    return again;
  }
  await dropLaunchTemplate(session, order, order.prepared?.template, call);
  return { done: true };
}

/** Deletes a group by force; one that is gone, or going, is a success. */
export async function deleteGroup(session: CloudSession, name: string, call: Call): Promise<void> {
  try {
    await session.groups.write(
      (sdk) => new sdk.DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }),
      call,
    );
  } catch (error) {
    if (!isFault(error) || (error.kind !== 'gone' && error.code !== 'ScalingActivityInProgress')) throw error;
  }
}
