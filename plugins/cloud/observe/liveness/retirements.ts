import type { InstanceStatusEvent } from '@aws-sdk/client-ec2';
import { isFault, type Call } from '../../../../core/index.ts';
import { pagesOf } from '../../connection/answers/pages.ts';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';

/** AWS tells these days ahead. */
const everyMs = 300_000;
/** What EC2 schedules that ends the use of a machine. */
const ending = ['instance-retirement', 'instance-stop'];

interface Answer {
  at: number;
  ends?: Promise<ReadonlyMap<string, string> | undefined>;
}

const lastAnswer = sessionField((): Answer => ({ at: -Infinity }));

/**
 * When EC2 will end machines because of their hosts, by machine id: ISO times. One question for the whole account,
 * since few machines ever have such an event, and one in five minutes. Undefined: it cannot be asked. /
 */
export function retirementsOf(session: CloudSession, call: Call): Promise<ReadonlyMap<string, string> | undefined> {
  const now = session.clock.monotonic();
  const answer = lastAnswer(session);
  if (answer.ends && now - answer.at < everyMs) return answer.ends;
  answer.at = now;
  return (answer.ends = ask(session, call));
}

async function ask(session: CloudSession, call: Call): Promise<ReadonlyMap<string, string> | undefined> {
  const found = new Map<string, string>();
  try {
    const Filters = [{ Name: 'event.code', Values: ending }];
    for await (const page of pagesOf((next) =>
      session.read((ec2) => new ec2.DescribeInstanceStatusCommand({ Filters, MaxResults: 1000, ...next }), call),
    )) {
      for (const { InstanceId, Events } of page.InstanceStatuses ?? []) {
        const first = (Events ?? []).filter(isAhead).flatMap(({ NotBefore }) => NotBefore?.toISOString() ?? []);
        const [at] = first.toSorted();
        if (InstanceId && at !== undefined) found.set(InstanceId, at);
      }
    }
  } catch (error) {
    // Whoever gave up asked in vain: the next one asks again.
    if (call.signal.aborted) delete lastAnswer(session).ends;
    if (!isFault(error)) throw error;
    call.log.warn(
      { provider_instance: session.instance, code: error.code },
      `Scheduled events could not be read: ${error.message}`,
    );
    return undefined;
  }
  return found;
}

/** Events that are over stay for a week or two, and say so in their description alone. */
export const isAhead = ({ Code, Description }: InstanceStatusEvent): boolean =>
  ending.includes(Code ?? '') && !/^\[(Completed|Canceled)\]/.test(Description ?? '');
