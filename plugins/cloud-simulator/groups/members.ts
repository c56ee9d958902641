import { userInitiated } from '../actions/instances/terminate-instances.ts';
import { endInstance } from '../launch/end-instance.ts';
import type { CallContext } from '../state/call-context.ts';
import type { Activity, Group, GroupMember } from '../state/groups.ts';
import type { Instance } from '../state/instances/instance.ts';
import { note } from './activities.ts';
import { finishDeletion } from './deletion.ts';
import type { GroupPool } from './launch/group-pools.ts';

/** Takes a machine that a group has just started into the group. */
export function addGroupMember(
  context: CallContext,
  group: Group,
  instance: Instance,
  pool: GroupPool,
  cause: string,
): GroupMember {
  const member: GroupMember = {
    instance,
    weight: pool.weight,
    weighted: pool.weighted,
    template: pool.template,
    launch: note(context, group, {
      description: `Launching a new EC2 instance: ${instance.id}`,
      cause,
      zone: instance.zone,
      subnetId: instance.subnet.id,
      doneAt: instance.runningAt,
    }),
    guarded: group.config.newProtected,
    healthy: true,
    leaving: false,
  };
  group.members.set(instance.id, member);
  if (Number.isFinite(instance.runningAt)) {
    context.state.timers.plan(instance.runningAt, () => {
      if (group.members.get(instance.id) === member && instance.shutdownAt === undefined) group.failures = 0;
    });
  }
  return member;
}

/**
 * A group ends a machine of its own, or sees it off when it has ended by itself: it counts no more, and is gone once
 * it is terminated.
 */
export function dismiss(context: CallContext, group: Group, member: GroupMember, cause: string): Activity {
  const { instance } = member;
  member.leaving = true;
  endInstance(context, instance, userInitiated);
  context.touched.push(instance.id);
  const goneAt = Math.max(context.now, instance.terminatedAt ?? context.now);
  if (member.launch.doneAt > context.now && member.launch.failure === undefined) {
    const message = 'The instance was terminated before it was in service.';
    member.launch.failure = { status: 'Cancelled', at: context.now, message };
  }
  context.state.timers.plan(goneAt, (then) => {
    group.members.delete(instance.id);
    finishDeletion(then, group);
  });
  return note(context, group, {
    description: `Terminating EC2 instance: ${instance.id}`,
    cause,
    zone: instance.zone,
    subnetId: instance.subnet.id,
    doneAt: goneAt,
  });
}

/** Lets a machine go alive: it loses the group's tag and protection, and nobody replaces it any more. */
export function detach(context: CallContext, group: Group, member: GroupMember, cause: string): Activity {
  const { instance } = member;
  group.members.delete(instance.id);
  instance.keeper = undefined;
  context.state.instances.retag(
    instance,
    new Map([...instance.tags].filter(([key]) => key !== 'aws:autoscaling:groupName')),
  );
  context.touched.push(instance.id);
  return note(context, group, {
    description: `Detaching EC2 instance: ${instance.id}`,
    cause,
    zone: instance.zone,
    subnetId: instance.subnet.id,
  });
}
