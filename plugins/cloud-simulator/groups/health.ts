import { draw } from '../knobs/span.ts';
import type { CallContext } from '../state/call-context.ts';
import type { Group, GroupMember } from '../state/groups.ts';
import { healthOf } from '../state/instances/health.ts';
import type { Instance } from '../state/instances/instance.ts';
import { dismiss } from './members.ts';
import { holdBack, isSuspended, wake } from './react.ts';

/**
 * Told that a machine begins to end. When a group did not order it, it finds out at its next look at the machine's
 * health.
 */
export function memberEnds(context: CallContext, group: Group, instance: Instance): void {
  const member = group.members.get(instance.id);
  if (member === undefined || member.leaving) return;
  // It never gets into service, and the launch is not over before the group knows what became of it.
  if (context.now < instance.runningAt) member.launch.doneAt = Number.POSITIVE_INFINITY;
  planLook(context, group, member);
}

/** Looks again at what went unseen or was left alone while processes were suspended. */
export function lookAgain(context: CallContext, group: Group): void {
  for (const member of group.members.values()) {
    if (member.instance.shutdownAt !== undefined || !member.healthy) planLook(context, group, member);
  }
}

/**
 * Looks at the health of a machine, and replaces one that has ended or whose checks are impaired. Protection does not
 * keep it.
 */
export function look(context: CallContext, group: Group, member: GroupMember): void {
  const { instance } = member;
  if (group.members.get(instance.id) !== member || member.leaving || isSuspended(group, 'HealthCheck')) return;
  const ended = instance.shutdownAt !== undefined;
  // Once unhealthy it is never healthy again, whatever becomes of the machine.
  if (member.healthy && !ended && !isImpaired(context, group, instance)) return;
  member.healthy = false;
  if (ended && (instance.shutdownAt as number) < instance.runningAt) noteFailedLaunch(context, group, member);
  // Replacing begins with the end of the old machine.
  if (isSuspended(group, 'ReplaceUnhealthy', 'Terminate')) return;
  const finding = ended ? 'it has been terminated or stopped' : 'its status checks have failed';
  dismiss(
    context,
    group,
    member,
    `an instance was taken out of service in response to an EC2 health check indicating ${finding}.`,
  );
  wake(context, group, context.now);
}

function planLook(context: CallContext, group: Group, member: GroupMember): void {
  const at = context.now + draw(context.knobs.groups.health_ms, context.random);
  context.state.timers.plan(at, (then) => look(then, group, member));
}

/** Whether a machine fails its checks, and had the time that its group grants new ones. */
function isImpaired(context: CallContext, group: Group, instance: Instance): boolean {
  const graceMs = Number(group.config.shown.get('HealthCheckGracePeriod') ?? 0) * 1000;
  return context.now >= instance.runningAt + graceMs && healthOf(context, instance).impairedSince !== undefined;
}

/** A launch that ended before it was done counts as one that found no capacity: the next one waits. */
function noteFailedLaunch(context: CallContext, group: Group, { instance, launch }: GroupMember): void {
  if (launch.failure !== undefined) return;
  const message = `Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: ${instance.reason?.message}`;
  launch.failure = { status: 'Cancelled', at: context.now, message };
  holdBack(context, group);
}
