import { isFault, type Call } from '../../../../core/index.ts';
import { pagesOf } from '../../connection/answers/pages.ts';
import type { CloudSession } from '../../connection/session.ts';

/** The time between EC2's notice and the end of the machine. */
const noticeMs = 120_000;

/**
 * States that a Spot request gets when its machine is taken back. EC2 writes them at once, while the machine runs for
 * two minutes more and DescribeInstances says nothing of it. /
 */
const takenBack = [
  'instance-terminated-no-capacity',
  'instance-terminated-capacity-oversubscribed',
  'instance-terminated-by-price',
  'instance-terminated-launch-group-constraint',
  'marked-for-termination',
];

/**
 * When the cloud takes Spot machines back, of those that run: ISO times by machine id. One question for all machines
 * of the account, since few requests are ever in these states; none when no Spot machine runs. Undefined: it cannot be
 * asked; the machine's end will be seen in any case. /
 */
export async function reclaimsOf(
  session: CloudSession,
  running: ReadonlySet<string>,
  call: Call,
): Promise<ReadonlyMap<string, string> | undefined> {
  const found = new Map<string, string>();
  if (running.size === 0) return found;
  try {
    const Filters = [{ Name: 'status-code', Values: takenBack }];
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
      `Notices of Spot machines could not be read: ${error.message}`,
    );
    return undefined;
  }
  return found;
}
