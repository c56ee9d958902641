import { chunks, isFault, type Call, type MachineRef } from '../../../core/index.ts';
import type { Instance } from '@aws-sdk/client-ec2';
import { inTurn } from './describe.ts';
import { idsNamed } from '../faults/ids-named.ts';
import type { CloudSession } from '../connection/session.ts';

/** What EC2 says of machines that are named to it one by one. Of others nothing is known. */
export interface NamedToCloud {
  readonly found: readonly Instance[];
  /** Ids of which EC2 said that they do not exist. */
  readonly unknown: ReadonlySet<string>;
}

const idsPerCall = 100;
/** As long as that, EC2 may not know a machine that it has just started. */
const youngMs = 300_000;
/**
 * EC2 names all ids that it does not know at once, as far as anybody has seen. What is left is asked for with the next
 * look.
 */
const mostRounds = 3;

/**
 * Asks for machines that a listing lacks by their exact ids: lists may be behind or incomplete, and prove nothing.
 * Only a refusal that names an id
 * says that the machine is no more, and only of one that is old enough to be known. What fails in any other way says
 * nothing.
 */
export async function byExactId(
  session: CloudSession,
  machines: readonly MachineRef[],
  call: Call,
): Promise<NamedToCloud> {
  const ids = machines.flatMap((machine) => (isOld(session, machine) ? [machine.machine_id] : []));
  const found: Instance[] = [];
  const unknown = new Set<string>();
  const asked = await inTurn(chunks(ids, idsPerCall), (chunk) => askFor(session, chunk, { found, unknown }, call));
  for (const each of asked) if (each.status === 'rejected') throw each.reason;
  return { found, unknown };
}

interface Heard {
  readonly found: Instance[];
  readonly unknown: Set<string>;
}

async function askFor(session: CloudSession, chunk: readonly string[], heard: Heard, call: Call): Promise<void> {
  let left = [...chunk];
  for (let round = 0; round < mostRounds && left.length > 0; round++) {
    const ids = left;
    try {
      const { Reservations = [] } = await session.read(
        (ec2) => new ec2.DescribeInstancesCommand({ InstanceIds: ids }),
        call,
      );
      heard.found.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
      return;
    } catch (reason) {
      if (!isFault(reason)) throw reason;
      const named = idsNamed(reason);
      left = ids.filter((id) => !named.has(id));
      if (reason.code !== 'InvalidInstanceID.NotFound' || left.length === ids.length) {
        call.log.debug(
          { provider_instance: session.instance, code: reason.code },
          `Nothing is known of machines not listed: ${reason.message}`,
        );
        return;
      }
      for (const id of ids) if (named.has(id)) heard.unknown.add(id);
    }
  }
}

/** Without a time of launch nothing was ever seen of it: that it is not seen now says nothing new. */
const isOld = ({ cloudClock }: CloudSession, { launched_at }: MachineRef): boolean =>
  launched_at !== undefined && cloudClock.now() - Date.parse(launched_at) > youngMs;
