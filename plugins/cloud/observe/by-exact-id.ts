import { chunks, isFault, type Call, type MachineRef } from '../../../core/index.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import { inTurn } from './describe.ts';
import { idsNamed } from '../faults/faults.ts';
import type { CloudSession } from '../connection/session.ts';

/** The answer of EC2 about machines that were requested by id. Machines in neither field are unknown. */
export interface ExactIdResult {
  readonly found: readonly InstanceSummary[];
  /** Ids that do not exist, according to EC2. */
  readonly unknown: ReadonlySet<string>;
}

const idsPerCall = 100;
/** The longest time for which EC2 may not know a new machine. */
const propagationMs = 300_000;
/** EC2 usually names all unknown ids in one error. The next observation asks for the rest. */
const maxRounds = 3;

/**
 * Describes machines by exact id that a listing lacks: lists may be incomplete or out of date, and prove nothing. A
 * machine is gone only when an error of EC2 names its id and the machine is old enough to be visible. Any other
 * failure proves nothing.
 */
export async function byExactId(
  session: CloudSession,
  machines: readonly MachineRef[],
  call: Call,
): Promise<ExactIdResult> {
  const ids = machines.flatMap((machine) => (isOld(session, machine) ? [machine.machine_id] : []));
  const found: InstanceSummary[] = [];
  const unknown = new Set<string>();
  const asked = await inTurn(chunks(ids, idsPerCall), (chunk) => askFor(session, chunk, { found, unknown }, call));
  for (const each of asked) if (each.status === 'rejected') throw each.reason;
  return { found, unknown };
}

interface Results {
  readonly found: InstanceSummary[];
  readonly unknown: Set<string>;
}

async function askFor(session: CloudSession, chunk: readonly string[], results: Results, call: Call): Promise<void> {
  let left = [...chunk];
  for (let round = 0; round < maxRounds && left.length > 0; round++) {
    const ids = left;
    try {
      const { Reservations = [] } = await session.read(
        (ec2) => new ec2.DescribeInstancesCommand({ InstanceIds: ids }),
        call,
      );
      results.found.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
      return;
    } catch (reason) {
      if (!isFault(reason)) throw reason;
      const named = idsNamed(reason);
      left = ids.filter((id) => !named.has(id));
      if (reason.code !== 'InvalidInstanceID.NotFound' || left.length === ids.length) {
        call.log.debug(
          { provider_instance: session.instance, code: reason.code },
          `Machines that no list shows could not be described: ${reason.message}`,
        );
        return;
      }
      for (const id of ids) if (named.has(id)) results.unknown.add(id);
    }
  }
}

/** A machine without a launch time was never visible: its absence proves nothing. */
const isOld = ({ cloudClock }: CloudSession, { launched_at }: MachineRef): boolean =>
  launched_at !== undefined && cloudClock.now() - Date.parse(launched_at) > propagationMs;
