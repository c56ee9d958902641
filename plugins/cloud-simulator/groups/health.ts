import { draw } from '../knobs/span.ts';
import type { CallContext } from '../state/call-context.ts';
import type { Group, GroupMember } from '../state/groups.ts';
import { healthOf } from '../state/instances/health.ts';
import type { Instance } from '../state/instances/instance.ts';
import { dismiss } from './members.ts';
import { delayRetry, isSuspended, planReconcile } from './reconcile.ts';

/**
 * Called when a machine begins to end. If the group did not end it, the group notices the end at its next health
 * check.
 */
export function memberEnds(context: CallContext, group: Group, instance: Instance): void {
  const member = group.members.get(instance.id);
  if (member === undefined || member.leaving) return;
  // The machine never reaches service, and its launch stays in progress until the group notices.
  if (context.now < instance.runningAt) member.launch.doneAt = Number.POSITIVE_INFINITY;
  planHealthCheck(context, group, member);
}

/** Called when a machine begins to stop: the group replaces it after its next health check. */
export function memberStops(context: CallContext, group: Group, instance: Instance): void {
  const member = group.members.get(instance.id);
  if (member !== undefined && !member.leaving) planHealthCheck(context, group, member);
}

/** Plans health checks of machines that ended or became unhealthy while processes were suspended. */
export function planRechecks(context: CallContext, group: Group): void {
  for (const member of group.members.values()) {
    if (hasStopped(member.instance) || !member.healthy) planHealthCheck(context, group, member);
  }
}

/**
 * Checks the health of a machine, and replaces the machine if it has ended or fails its status checks, even if it is
 * protected from scale-in.
 */
export function checkHealth(context: CallContext, group: Group, member: GroupMember): void {
  const { instance } = member;
  if (group.members.get(instance.id) !== member || member.leaving || isSuspended(group, 'HealthCheck')) return;
  const ended = hasStopped(instance);
  // An unhealthy member never becomes healthy again.
  if (member.healthy && !ended && !isImpaired(context, group, instance)) return;
  member.healthy = false;
  if (instance.shutdownAt !== undefined && instance.shutdownAt < instance.runningAt)
    noteFailedLaunch(context, group, member);
  // Replacing begins with the end of the old machine.
  if (isSuspended(group, 'ReplaceUnhealthy', 'Terminate')) return;
  const finding = ended ? 'it has been terminated or stopped' : 'its status checks have failed';
  dismiss(
    context,
    group,
    member,
    `an instance was taken out of service in response to an EC2 health check indicating ${finding}.`,
  );
  planReconcile(context, group, context.now);
}

function hasStopped({ shutdownAt, stop }: Instance): boolean {
  return shutdownAt !== undefined || stop !== undefined;
}

function planHealthCheck(context: CallContext, group: Group, member: GroupMember): void {
  const at = context.now + draw(context.knobs.groups.health_ms, context.random);
  context.state.timers.plan(at, (then) => checkHealth(then, group, member));
}

/** Whether a machine fails its status checks after the grace period of its group. */
function isImpaired(context: CallContext, group: Group, instance: Instance): boolean {
  const graceMs = Number(group.config.shown.get('HealthCheckGracePeriod') ?? 0) * 1000;
  return context.now >= instance.runningAt + graceMs && healthOf(context, instance).impairedSince !== undefined;
}

/** A launch whose machine ended before it was running counts as a failed launch: the next launch waits. */
function noteFailedLaunch(context: CallContext, group: Group, { instance, launch }: GroupMember): void {
  if (launch.failure !== undefined) return;
  const message = `Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: ${instance.reason?.message}`;
  launch.failure = { status: 'Cancelled', at: context.now, message };
  delayRetry(context, group);
}
