import { deliveryLimit } from '../dispatch/faults.ts';
import { draw, type Span } from '../knobs/span.ts';
import type { Moment } from '../dispatch/call-context.ts';
import { capacityOf, type Group, type ProcessName } from '../state/groups.ts';
import { note } from './activities.ts';
import { balance } from './launch/balance.ts';
import { finishDeletion } from './deletion.ts';
import { launchRound, type Round, type Shortage } from './launch/launch-round.ts';
import { marketShares } from './launch/market-shares.ts';
import { dismiss } from './members.ts';
import { placesOf } from './launch/places.ts';
import { chooseForScaleIn } from './scale-in.ts';

/** Makes a group look at itself after its time of reaction: to be called whenever something about it has changed. */
export function wakeSoon(moment: Moment, group: Group): void {
  wake(moment, group, moment.now + draw(moment.knobs.groups.react_ms, moment.random));
}

/** What a caller changes ends the waits for another try. */
export function changed(moment: Moment, group: Group): void {
  group.retryAt = moment.now;
  group.unbalanced.retryAt = moment.now;
  wakeSoon(moment, group);
}

/** Makes a group look at itself at a time, or before. */
export function wake(moment: Moment, group: Group, at: number): void {
  if (group.deletedAt !== undefined || (group.wakeAt !== undefined && group.wakeAt <= at)) return;
  group.wakeAt = at;
  moment.state.agenda.plan(at, (then) => {
    // An earlier time has been set since.
    if (group.wakeAt !== at) return;
    group.wakeAt = undefined;
    react(then, group);
  });
}

/** Whether one of these processes is suspended. */
export function isSuspended(group: Group, ...processes: readonly ProcessName[]): boolean {
  return processes.some((process) => group.suspended.has(process));
}

/** The next try of something that has failed `failures` times in a row: the wait doubles up to sixteen times. */
export function afterFailures(moment: Moment, wait: Span, failures: number): number {
  // Without any wait a group without capacity would try for ever in a single instant.
  return moment.now + Math.max(100, draw(wait, moment.random) * 2 ** Math.min(Math.max(failures - 1, 0), 4));
}

function react(moment: Moment, group: Group): void {
  if (group.deletedAt !== undefined) return;
  const capacity = capacityOf(group);
  const missing = group.desired - capacity - group.launching;
  if (missing > 0) return grow(moment, group, missing);
  if (capacity > group.desired && shrink(moment, group)) return;
  if (group.launching === 0) rebalance(moment, group);
}

function grow(moment: Moment, group: Group, units: number): void {
  const { now, knobs, random } = moment;
  if (isSuspended(group, 'Launch')) return;
  if (group.retryAt > now) return wake(moment, group, group.retryAt);
  group.launching += units;
  // What is decided comes, whatever is asked of the group in between.
  moment.state.agenda.plan(now + draw(knobs.groups.react_ms, random), (then) => {
    group.launching -= units;
    const round = launchRound(then, group, {
      shares: marketShares(group, units),
      places: placesOf(then, group.config),
      limit: deliveryLimit(then, 'CreateAutoScalingGroup'),
      cause: 'an instance was started in response to a difference between desired and actual capacity.',
    });
    if (round.members.length > 0) group.scaledAt = then.now;
    if (round.shortages.length > 0) holdBack(then, group);
    noteShortages(then, group, round.shortages);
    settle(then, group, round);
  });
}

/** Puts the next launch off. */
export function holdBack(moment: Moment, group: Group): void {
  group.failures++;
  group.retryAt = afterFailures(moment, moment.knobs.groups.retry_ms, group.failures);
}

/** Notes launches that failed. */
export function noteShortages(moment: Moment, group: Group, shortages: readonly Shortage[]): void {
  for (const { place, error } of shortages) {
    const message = `${error.message} Launching EC2 instance failed.`;
    note(moment, group, {
      description: `Launching a new EC2 instance.  Status Reason: ${message}`,
      cause: 'an instance was started in response to a difference between desired and actual capacity.',
      zone: place.zone,
      ...(place.subnet === undefined ? {} : { subnetId: place.subnet }),
      failure: { status: 'Failed', at: moment.now, message },
    });
  }
}

/** Machines that come to a group that is being deleted are ended at once. */
function settle(moment: Moment, group: Group, round: Round): void {
  if (group.deletedAt === undefined) return wake(moment, group, moment.now);
  for (const member of round.members)
    dismiss(moment, group, member, 'an instance was taken out of service since the group is being deleted.');
  finishDeletion(moment, group);
}

/** Whether anybody had to go. Protected machines, and machines that weigh more than the group has too much, stay. */
function shrink(moment: Moment, group: Group): boolean {
  if (isSuspended(group, 'Terminate')) return false;
  const victims = chooseForScaleIn(group, group.desired);
  const cause = 'an instance was taken out of service in response to a difference between desired and actual capacity.';
  for (const member of victims) dismiss(moment, group, member, cause);
  if (victims.length === 0) return false;
  group.scaledAt = moment.now;
  // The zones may have become uneven, or have still to be made even.
  wakeSoon(moment, group);
  return true;
}

function rebalance(moment: Moment, group: Group): void {
  if (isSuspended(group, 'AZRebalance', 'Launch', 'Terminate')) return;
  const { now, knobs, random, state } = moment;
  const move = balance(moment, group);
  if (move === 'even') {
    group.unbalanced = { failures: 0, retryAt: now };
    return;
  }
  if (group.unbalanced.retryAt > now) return wake(moment, group, group.unbalanced.retryAt);
  if (move === 'stuck') return waitForBalance(moment, group);

  group.launching += move.weight;
  state.agenda.plan(now + draw(knobs.groups.react_ms, random), (then) => {
    group.launching -= move.weight;
    const round = launchRound(then, group, {
      ...move.order,
      limit: Math.min(1, deliveryLimit(then, 'CreateAutoScalingGroup')),
      cause: "an instance was launched to aid in balancing the group's zones.",
    });
    if (round.members.length === 0) {
      noteShortages(then, group, round.shortages);
      if (group.deletedAt === undefined) waitForBalance(then, group);
    }
    if (round.members.length === 0 || group.deletedAt !== undefined) return settle(then, group, round);
    // The other machine goes when the new one runs: the group is then too large, and the larger zone gives.
    for (const { instance } of round.members) {
      if (Number.isFinite(instance.runningAt)) state.agenda.plan(instance.runningAt, (later) => wake(later, group, later.now));
    }
  });
}

function waitForBalance(moment: Moment, group: Group): void {
  const failures = group.unbalanced.failures + 1;
  group.unbalanced = { failures, retryAt: afterFailures(moment, moment.knobs.groups.retry_ms, failures) };
  wake(moment, group, group.unbalanced.retryAt);
}
