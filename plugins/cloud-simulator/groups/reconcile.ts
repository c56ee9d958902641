import { fleetCodeOf } from '../launch/fleets/fleet-fill.ts';
import { deliveryLimit } from '../dispatch/faults.ts';
import { draw, type Span } from '../knobs/span.ts';
import type { CallContext } from '../state/call-context.ts';
import { capacityOf, type Group, type GroupMember, type ProcessName } from '../state/groups.ts';
import { recordActivity } from './activities.ts';
import { balance } from './launch/balance.ts';
import { finishDeletion } from './deletion.ts';
import { launchRound, type Round, type Shortage } from './launch/launch-round.ts';
import { marketShares } from './launch/market-shares.ts';
import { dismiss } from './members.ts';
import { placesOf } from './launch/places.ts';
import { chooseForScaleIn } from './scale-in.ts';

/** Plans a reconciliation after `react_ms`. Call it whenever a group has changed. */
export function reconcileSoon(context: CallContext, group: Group): void {
  planReconcile(context, group, context.now + draw(context.knobs.groups.react_ms, context.random));
}

/** Plans a reconciliation after a caller's change, which also ends the waits before a retry. */
export function changed(context: CallContext, group: Group): void {
  group.retryAt = context.now;
  group.unbalanced.retryAt = context.now;
  reconcileSoon(context, group);
}

/** Plans a reconciliation at a time, unless an earlier one is planned. */
export function planReconcile(context: CallContext, group: Group, at: number): void {
  if (group.deletedAt !== undefined || (group.reconcileAt !== undefined && group.reconcileAt <= at)) return;
  group.reconcileAt = at;
  context.state.timers.plan(at, (then) => {
    // An earlier time has been set since.
    if (group.reconcileAt !== at) return;
    group.reconcileAt = undefined;
    reconcile(then, group);
  });
}

/** Whether one of these processes is suspended. */
export function isSuspended(group: Group, ...processes: readonly ProcessName[]): boolean {
  return processes.some((process) => group.suspended.has(process));
}

/**
 * The time of the next attempt after `failures` consecutive failures: the wait doubles, up to sixteen times its first
 * length.
 */
function afterFailures(context: CallContext, wait: Span, failures: number): number {
  // Without a wait, a group that lacks capacity would retry endlessly at one instant.
  return context.now + Math.max(100, draw(wait, context.random) * 2 ** Math.min(Math.max(failures - 1, 0), 4));
}

function reconcile(context: CallContext, group: Group): void {
  if (group.deletedAt !== undefined) return;
  const capacity = capacityOf(group);
  const missing = group.desired - capacity - group.launching;
  if (missing > 0) return grow(context, group, missing);
  if (capacity > group.desired && shrink(context, group)) return;
  if (group.launching === 0) rebalance(context, group);
}

function grow(context: CallContext, group: Group, units: number): void {
  const { now, knobs, random } = context;
  if (isSuspended(group, 'Launch')) return;
  if (group.retryAt > now) return planReconcile(context, group, group.retryAt);
  group.launching += units;
  // A decided launch happens even if the group changes in the meantime.
  context.state.timers.plan(now + draw(knobs.groups.react_ms, random), (then) => {
    group.launching -= units;
    const round = launchRound(then, group, {
      shares: marketShares(group, units),
      places: placesOf(then, group.config),
      limit: deliveryLimit(then, 'CreateAutoScalingGroup'),
      cause: 'an instance was started in response to a difference between desired and actual capacity.',
    });
    if (round.members.length > 0) group.scaledAt = then.now;
    if (round.shortages.length > 0) delayRetry(then, group);
    recordShortages(then, group, round.shortages);
    settle(then, group, round);
  });
}

/** Delays the next launch after a failure. */
export function delayRetry(context: CallContext, group: Group): void {
  group.failures++;
  group.retryAt = afterFailures(context, context.knobs.groups.retry_ms, group.failures);
}

/** Records failed launches. */
export function recordShortages(context: CallContext, group: Group, shortages: readonly Shortage[]): void {
  // AWS launches the machines of a mixed group by a fleet, and names the code of the fleet.
  const isMixed = group.config.source.policy !== undefined;
  for (const { place, market, error } of shortages) {
    const service = market === 'spot' ? 'Spot' : 'On-Demand';
    const coded = isMixed ? `Could not launch ${service} Instances. ${fleetCodeOf(error.code)} - ` : '';
    const message = `${coded}${error.message} Launching EC2 instance failed.`;
    recordActivity(context, group, {
      description: `Launching a new EC2 instance.  Status Reason: ${message}`,
      cause: 'an instance was started in response to a difference between desired and actual capacity.',
      zone: place.zone,
      ...(place.subnet === undefined ? {} : { subnetId: place.subnet }),
      failure: { status: 'Failed', at: context.now, message },
    });
  }
}

/** Ends machines that start in a group that is being deleted. */
function settle(context: CallContext, group: Group, round: Round): void {
  if (group.deletedAt === undefined) return planReconcile(context, group, context.now);
  for (const member of round.members)
    dismiss(context, group, member, 'an instance was taken out of service since the group is being deleted.');
  finishDeletion(context, group);
}

/**
 * Ends excess machines and returns whether there were any. Protected machines, and machines that weigh more than the
 * excess, stay. While Terminate is suspended, only machines that are not in service yet end.
 */
function shrink(context: CallContext, group: Group): boolean {
  const { now, knobs } = context;
  const isPending = ({ instance }: GroupMember) => instance.shutdownAt === undefined && now < instance.runningAt;
  const endsPending = (member: GroupMember) => knobs.groups.ends_pending && isPending(member);
  const terminates = !isSuspended(group, 'Terminate');
  const chosen = chooseForScaleIn(
    group,
    group.desired,
    (member) => endsPending(member) || (terminates && !member.guarded),
  );
  const cause =
    'an instance was taken out of service in response to a difference between desired and actual capacity.';
  for (const member of chosen) dismiss(context, group, member, cause);
  if (chosen.length === 0) return false;
  group.scaledAt = context.now;
  // The zones may be uneven now.
  reconcileSoon(context, group);
  return true;
}

function rebalance(context: CallContext, group: Group): void {
  if (isSuspended(group, 'AZRebalance', 'Launch', 'Terminate')) return;
  const { now, knobs, random, state } = context;
  const move = balance(context, group);
  if (move === 'even') {
    group.unbalanced = { failures: 0, retryAt: now };
    return;
  }
  if (group.unbalanced.retryAt > now) return planReconcile(context, group, group.unbalanced.retryAt);
  if (move === 'stuck') return waitForBalance(context, group);

  group.launching += move.weight;
  state.timers.plan(now + draw(knobs.groups.react_ms, random), (then) => {
    group.launching -= move.weight;
    const round = launchRound(then, group, {
      ...move.order,
      limit: Math.min(1, deliveryLimit(then, 'CreateAutoScalingGroup')),
      cause: "an instance was launched to aid in balancing the group's zones.",
    });
    if (round.members.length === 0) {
      recordShortages(then, group, round.shortages);
      if (group.deletedAt === undefined) waitForBalance(then, group);
    }
    if (round.members.length === 0 || group.deletedAt !== undefined) return settle(then, group, round);
    // When the new machine runs, the group is above its desired capacity and ends one machine of the larger zone.
    for (const { instance } of round.members) {
      if (Number.isFinite(instance.runningAt))
        state.timers.plan(instance.runningAt, (later) => planReconcile(later, group, later.now));
    }
  });
}

function waitForBalance(context: CallContext, group: Group): void {
  const failures = group.unbalanced.failures + 1;
  group.unbalanced = { failures, retryAt: afterFailures(context, context.knobs.groups.retry_ms, failures) };
  planReconcile(context, group, group.unbalanced.retryAt);
}
