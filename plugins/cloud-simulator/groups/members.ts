import { userInitiated } from '../state/instances/instance.ts';
import { endInstance } from '../launch/end-instance.ts';
import type { CallContext } from '../state/call-context.ts';
import type { Activity, Group, GroupMember } from '../state/groups.ts';
import type { Instance } from '../state/instances/instance.ts';
import { mergeTags } from '../state/tags.ts';
import { recordActivity } from './activities.ts';
import { finishDeletion } from './deletion.ts';
import type { GroupPool } from './launch/group-pools.ts';

/** Adds a newly started machine to a group. */
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
    launch: recordActivity(context, group, {
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
 * Ends a machine of a group, or removes a machine that has already ended: the machine no longer counts, and leaves
 * the group when it is terminated.
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
  return recordActivity(context, group, {
    description: `Terminating EC2 instance: ${instance.id}`,
    cause,
    zone: instance.zone,
    subnetId: instance.subnet.id,
    doneAt: goneAt,
  });
}

/** Adds a running machine that the group did not launch: it gets the group's tag, and counts one unit. */
export function attach(context: CallContext, group: Group, instance: Instance): void {
  context.state.instances.retag(
    instance,
    mergeTags(instance.tags, new Map([['aws:autoscaling:groupName', group.name]])),
  );
  instance.controller = group.controller;
  context.touched.push(instance.id);
  const launch = recordActivity(context, group, {
    description: `Attaching an existing EC2 instance: ${instance.id}`,
    cause: 'an instance was attached in response to a user request.',
    zone: instance.zone,
    subnetId: instance.subnet.id,
  });
  const member: GroupMember = {
    instance,
    weight: 1,
    weighted: false,
    template: undefined,
    launch,
    guarded: group.config.newProtected,
    healthy: true,
    leaving: false,
  };
  group.members.set(instance.id, member);
}

/** Removes a running machine from a group: it loses the group's tag and protection, and is no longer replaced. */
export function detach(context: CallContext, group: Group, member: GroupMember, cause: string): Activity {
  const { instance } = member;
  group.members.delete(instance.id);
  instance.controller = undefined;
  context.state.instances.retag(
    instance,
    new Map([...instance.tags].filter(([key]) => key !== 'aws:autoscaling:groupName')),
  );
  context.touched.push(instance.id);
  return recordActivity(context, group, {
    description: `Detaching EC2 instance: ${instance.id}`,
    cause,
    zone: instance.zone,
    subnetId: instance.subnet.id,
  });
}
