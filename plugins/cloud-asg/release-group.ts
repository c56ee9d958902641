import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { isFault, type ReleaseTarget, type Call, type Progress } from '../../core/index.ts';
import { terminate, type CloudSession } from '../cloud/index.ts';
import { describeGroup, isDeleting, isPending, isSuspended, membersOf } from './observe/describe-groups.ts';
import { changeGroup } from './observe/group-reads.ts';
import type { GroupHandle } from './group-handle.ts';
import { groupVisibleMs } from './observe/observe-groups.ts';
import { launchProcess, mayStillLaunch, suspendedProcesses, suspend } from './launch/processes.ts';
import { sizeFor, unitsOf } from './launch/units.ts';

/** The longest time for which a group lists a machine that no observation shows, or one that has ended. */
const unseenMs = 60_000;

/** Codes that report another change of the group in progress. */
const busy: ReadonlySet<string> = new Set(['ScalingActivityInProgress', 'ResourceContention', 'ResourceInUse']);

/**
 * Stops the group permanently, then terminates machines, then sets the size to the machines that stay. In this order
 * no machine is replaced, wherever the release breaks off: a group that cannot launch ignores a size that is too
 * large, and a group that cannot terminate ends no machine in service. A machine that is not in service yet may end
 * when the group counts more than its size, and a group counts ended machines too: so the size is set later while that
 * is possible. A group that returns no machine and may still get some keeps growing, to the size that is allowed.
 */
export async function releaseGroup(
  session: CloudSession,
  handle: GroupHandle,
  releaseTarget: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  const group = await describeGroup(session, handle.name, call);
  if (!group || isDeleting(group)) {
    const ended = await terminate(session, releaseTarget.go, call);
    if (!group && session.consistencyGrace.has(`group ${handle.name}`, groupVisibleMs))
      return { done: false, again_ms: 5_000 };
    return ended;
  }
  try {
    const stopsGrowth = releaseTarget.go.length > 0 || releaseTarget.incoming === 0;
    await suspend(
      session,
      handle.name,
      stopsGrowth ? [launchProcess, ...suspendedProcesses] : suspendedProcesses,
      call,
      group,
    );
    if (stopsGrowth) mayStillLaunch(session, handle.name);
    const ended = await terminate(session, releaseTarget.go, call);
    const mayGrow = (stopsGrowth || isSuspended(group, launchProcess)) && mayStillLaunch(session, handle.name);
    if (mayHaveUnseen(session, handle, group, releaseTarget, mayGrow))
      return ended.done ? { done: false, again_ms: 5_000 } : ended;
    const size = sizeFor(handle, releaseTarget.stay, releaseTarget.incoming, membersOf(group));
    if (size < (group.DesiredCapacity ?? 0) && endangersPending(handle, group, size, releaseTarget, mayGrow))
      return ended.done ? { done: false, again_ms: 2_000 } : ended;
    if (group.MinSize !== 0 || group.MaxSize !== size || group.DesiredCapacity !== size) {
      const sizes = { MinSize: 0, MaxSize: size, DesiredCapacity: size };
      await changeGroup(
        session,
        handle.name,
        (sdk) => new sdk.UpdateAutoScalingGroupCommand({ AutoScalingGroupName: handle.name, ...sizes }),
        call,
      );
    }
    return ended;
  } catch (error) {
    // The group went away after it was described. The next call finds it gone.
    if (isFault(error) && (busy.has(error.code) || error.kind === 'gone')) return { done: false, again_ms: 5_000 };
    throw error;
  }
}

/**
 * Whether the group could end a machine that is not in service yet, if it had this size. `mayGrow`: the group was
 * stopped, but machines that it ordered before may still come.
 */
function endangersPending(
  handle: GroupHandle,
  group: AutoScalingGroup,
  size: number,
  { go, incoming }: ReleaseTarget,
  mayGrow: boolean,
): boolean {
  const members = membersOf(group);
  const going = new Set(go.map(({ machine_id }) => machine_id));
  const isComing = members.some((member) => isPending(member) && !going.has(member.InstanceId ?? ''));
  const more = mayGrow ? incoming * handle.unit : 0;
  return (isComing || more > 0) && unitsOf(handle, members) + more > size;
}

/**
 * Whether more machines of the group live, or may come, than are known and may still arrive. A release that is done
 * promises that no such machine comes. The group lists its machines, so that an observation shows them soon; and it
 * lists ended ones for some time.
 */
function mayHaveUnseen(
  session: CloudSession,
  handle: GroupHandle,
  group: AutoScalingGroup,
  { go, stay, incoming }: ReleaseTarget,
  mayGrow: boolean,
): boolean {
  const members = membersOf(group);
  const known = new Set([...go, ...stay].map(({ machine_id }) => machine_id));
  const unseen = unitsOf(
    handle,
    members.filter(({ InstanceId }) => !known.has(InstanceId ?? '')),
  );
  const arriving = incoming * handle.unit;
  const key = `group ${handle.name} unseen`;
  if (unseen <= arriving) session.consistencyGrace.end(key);
  else if (session.consistencyGrace.has(key, unseenMs)) return true;
  const inFlight = Math.max(0, (group.DesiredCapacity ?? 0) - unitsOf(handle, members));
  return mayGrow && inFlight > 0 && unseen + inFlight > arriving;
}
