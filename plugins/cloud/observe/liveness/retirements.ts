import type { InstanceStatusEvent } from '@aws-sdk/client-ec2';
import { isFault, type Call } from '../../../../core/index.ts';
import { pagesOf } from '../../connection/answers/pages.ts';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';

/** AWS announces these events days before. */
const readIntervalMs = 300_000;
/** Scheduled events that end the use of a machine. */
const endingEvents = ['instance-retirement', 'instance-stop'];

interface Answer {
  at: number;
  ends?: Promise<ReadonlyMap<string, string> | undefined>;
}

const lastAnswer = sessionField((): Answer => ({ at: -Infinity }));

/**
 * When EC2 retires machines because of their hosts: ISO times by machine id. One call for the whole account, since few
 * machines have such an event, and one in five minutes. Undefined: the call failed.
 */
export function retirementsOf(session: CloudSession, call: Call): Promise<ReadonlyMap<string, string> | undefined> {
  const now = session.clock.monotonic();
  const answer = lastAnswer(session);
  if (answer.ends && now - answer.at < readIntervalMs) return answer.ends;
  answer.at = now;
  return (answer.ends = ask(session, call));
}

async function ask(session: CloudSession, call: Call): Promise<ReadonlyMap<string, string> | undefined> {
  const found = new Map<string, string>();
  try {
    const Filters = [{ Name: 'event.code', Values: endingEvents }];
    for await (const page of pagesOf((next) =>
      session.read((ec2) => new ec2.DescribeInstanceStatusCommand({ Filters, MaxResults: 1000, ...next }), call),
    )) {
      for (const { InstanceId, Events } of page.InstanceStatuses ?? []) {
        const first = (Events ?? []).filter(isUpcoming).flatMap(({ NotBefore }) => NotBefore?.toISOString() ?? []);
        const [at] = first.toSorted();
        if (InstanceId && at !== undefined) found.set(InstanceId, at);
      }
    }
  } catch (error) {
    // An aborted call has no answer: the next caller repeats it.
    if (call.signal.aborted) delete lastAnswer(session).ends;
    if (!isFault(error)) throw error;
    call.log.warn(
      { provider_instance: session.instance, code: error.code },
      `Scheduled events could not be read; the next observation retries: ${error.message}`,
    );
    return undefined;
  }
  return found;
}

/**
 * Whether an event is still to come. Past events stay listed for a week or two, and only their description shows it.
 */
export const isUpcoming = ({ Code, Description }: InstanceStatusEvent): boolean =>
  endingEvents.includes(Code ?? '') && !/^\[(Completed|Canceled)\]/.test(Description ?? '');
