import { isFault, type ReleaseTarget, type Call, type Progress } from '../../core/index.ts';
import { terminate, type CloudSession } from '../cloud/index.ts';
import { describeGroup, isDeleting, membersOf } from './observe/describe-groups.ts';
import type { GroupHandle } from './group-handle.ts';
import { notShownMs } from './observe/observe-groups.ts';
import { growth, mayBeOnTheirWay, quiet, suspend } from './launch/processes.ts';
import { sizeFor } from './launch/units.ts';

/** Something else is changing the group. */
const busy: ReadonlySet<string> = new Set(['ScalingActivityInProgress', 'ResourceContention', 'ResourceInUse']);

/**
 * First the group is stopped for good, then machines are ended, then its size is set to what stays. In this order
 * nothing is refilled wherever it breaks off: a group that cannot launch has no use for a size that is too large, and
 * one that cannot terminate none for one too small. A group that gives nothing back and may still get machines goes on
 * growing, to the size that is allowed. /
 */
export async function releaseGroup(
  session: CloudSession,
  handle: GroupHandle,
  aim: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  const group = await describeGroup(session, handle.name, call);
  if (!group || isDeleting(group)) {
    const ended = await terminate(session, aim.go, call);
    if (!group && session.consistencyGrace.has(`group ${handle.name}`, notShownMs))
      return { done: false, again_ms: 5_000 };
    return ended;
  }
  try {
    const stops = aim.go.length > 0 || aim.to_come === 0;
    await suspend(session, handle.name, stops ? [growth, ...quiet] : quiet, call, group);
    if (stops) mayBeOnTheirWay(session, handle.name);
    const ended = await terminate(session, aim.go, call);
    const size = sizeFor(handle, aim.stay, aim.to_come, membersOf(group));
    if (group.MinSize !== 0 || group.MaxSize !== size || group.DesiredCapacity !== size) {
      const sizes = { MinSize: 0, MaxSize: size, DesiredCapacity: size };
      await session.groups.write(
        (sdk) => new sdk.UpdateAutoScalingGroupCommand({ AutoScalingGroupName: handle.name, ...sizes }),
        call,
      );
    }
    return ended;
  } catch (error) {
    // Gone since it was looked at: the next call sees it so.
    if (isFault(error) && (busy.has(error.code) || error.kind === 'gone')) return { done: false, again_ms: 5_000 };
    throw error;
  }
}
