import { isFault, type Call } from '../../../../core/index.ts';
import { pagesOf } from '../../connection/answers/pages.ts';
import type { CloudSession } from '../../connection/session.ts';

/** The time between the notice of EC2 and the end of the machine. */
const noticeMs = 120_000;

/**
 * States of a Spot request whose machine is reclaimed. EC2 sets them immediately, while the machine runs for two
 * minutes more and DescribeInstances does not show the reclaim.
 */
const reclaimStates = [
  'instance-terminated-no-capacity',
  'instance-terminated-capacity-oversubscribed',
  'instance-terminated-by-price',
  'instance-terminated-launch-group-constraint',
  'marked-for-termination',
];

/**
 * When the cloud reclaims running Spot machines: ISO times by machine id. One call for all machines of the account,
 * since few requests are in these states; no call when no Spot machine runs. Undefined: the call failed; a later
 * observation shows the end of the machine.
 */
export async function reclaimsOf(
  session: CloudSession,
  running: ReadonlySet<string>,
  call: Call,
): Promise<ReadonlyMap<string, string> | undefined> {
  const found = new Map<string, string>();
  if (running.size === 0) return found;
  try {
    const Filters = [{ Name: 'status-code', Values: reclaimStates }];
    for await (const page of pagesOf((next) =>
      session.read((ec2) => new ec2.DescribeSpotInstanceRequestsCommand({ Filters, MaxResults: 1000, ...next }), call),
    )) {
      for (const { InstanceId, Status } of page.SpotInstanceRequests ?? []) {
        if (InstanceId && running.has(InstanceId) && Status?.UpdateTime)
          found.set(InstanceId, new Date(Status.UpdateTime.getTime() + noticeMs).toISOString());
      }
    }
  } catch (error) {
    if (!isFault(error)) throw error;
    call.log.warn(
      { provider_instance: session.instance, code: error.code },
      `Reclaim notices of Spot machines could not be read; the next observation retries: ${error.message}`,
    );
    return undefined;
  }
  return found;
}
