import type { Call, LaunchOrder } from '../../../core/index.ts';
import { describeInstances } from '../observe/describe.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags } from '../template/tags.ts';

/** The time after which all machines of a launch are visible. */
const visibleMs = 300_000;

/** Machines with the tags of an order, in any state. */
export function machinesOfOrder(
  session: CloudSession,
  order: Pick<LaunchOrder, 'request_id' | 'attempt'>,
  call: Call,
): Promise<InstanceSummary[]> {
  const filters = [
    { Name: `tag:${ownTags.request}`, Values: [order.request_id] },
    { Name: `tag:${ownTags.attempt}`, Values: [String(order.attempt)] },
  ];
  return describeInstances(session, filters, call);
}

/**
 * Whether the visible machines are the whole launch. Some machines may not be visible yet, and the others would be
 * ordered again if the visible ones counted as the whole. When nothing is found, the core repeats the order, which
 * gives the exact answer.
 */
export function isComplete(session: CloudSession, seen: readonly InstanceSummary[], enough: boolean): boolean {
  if (seen.length === 0) return false;
  return (
    enough ||
    seen.every(
      ({ LaunchTime }) => LaunchTime !== undefined && session.cloudClock.now() - LaunchTime.getTime() > visibleMs,
    )
  );
}
