import type { Instance } from '@aws-sdk/client-ec2';
import type { Call, LaunchOrder } from '../../../core/index.ts';
import { describeInstances } from '../observe/describe.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags } from '../template/tags.ts';

/** After that, machines of one launch are all visible. */
const visibleMs = 300_000;

/** Machines that carry an order's tags, in whatever state. */
export function seenMachines(
  session: CloudSession,
  order: Pick<LaunchOrder, 'request_id' | 'attempt'>,
  call: Call,
): Promise<Instance[]> {
  const filters = [
    { Name: `tag:${ownTags.request}`, Values: [order.request_id] },
    { Name: `tag:${ownTags.attempt}`, Values: [String(order.attempt)] },
  ];
  return describeInstances(session, filters, call);
}

/**
 * Whether what is seen of a launch is all of it. Some of its machines may not be visible yet, and taking those that
 * are for the whole would order the others a second time; a replay of the order, which the core makes when nothing is
 * found, gives the exact answer. /
 */
export function isComplete(session: CloudSession, seen: readonly Instance[], enough: boolean): boolean {
  if (seen.length === 0) return false;
  return (
    enough ||
    seen.every(
      ({ LaunchTime }) => LaunchTime !== undefined && session.cloudClock.now() - LaunchTime.getTime() > visibleMs,
    )
  );
}
