import {
  chunks,
  isFault,
  type Call,
  type MachineRef,
  type Progress,
  type ProviderFault,
} from '../../../core/index.ts';
import { inTurn } from '../observe/describe.ts';
import { idsNamed } from '../faults/ids-named.ts';
import type { MachineData } from '../observe/machines.ts';
import type { CloudSession } from '../connection/session.ts';

/** EC2 takes 1000 ids and advises fewer. */
const idsPerCall = 500;
/** As long as that, EC2 may not know a machine that it has just started. */
const youngMs = 300_000;

/**
 * Terminates machines; those already gone are a success. EC2 refuses a whole call for one id that it does not know,
 * and a whole zone for one machine with termination protection, so calls are made by zone, and a refused one is
 * repeated without the ids that it names, or in halves. Throws what is left to say when all others are gone. /
 */
export async function terminate(
  session: CloudSession,
  machines: readonly MachineRef[],
  call: Call,
): Promise<Progress> {
  // What is shutting down does so to the end; a release that has to be said again need not name it again.
  const alive = machines.filter(({ status }) => status !== 'shutting-down' && status !== 'terminated');
  const zones = Map.groupBy(alive, (machine) => (machine.data as MachineData | undefined)?.zone ?? '');
  const batches = [...zones.values()].flatMap((members) => chunks(members, idsPerCall));
  const results = await inTurn(batches, (batch) => terminateBatch(session, batch, call));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0) throw failures.find((reason) => !isFault(reason)) ?? failures[0];
  const young = results.some((result) => result.status === 'fulfilled' && result.value === 'young');
  return young ? { done: false, again_ms: 5_000 } : { done: true };
}

type Outcome = 'accepted' | 'young';

async function terminateBatch(session: CloudSession, batch: readonly MachineRef[], call: Call): Promise<Outcome> {
  if (batch.length === 0) return 'accepted';
  try {
    await session.write(
      (ec2) => new ec2.TerminateInstancesCommand({ InstanceIds: batch.map((machine) => machine.machine_id) }),
      call,
    );
    return 'accepted';
  } catch (reason) {
    if (!isFault(reason) || !isAboutIds(reason)) throw reason;
    const ids = idsNamed(reason);
    const named = batch.filter((machine) => ids.has(machine.machine_id));
    if (reason.code !== 'OperationNotPermitted' && (batch.length === 1 || named.length === batch.length))
      return unknownToCloud(session, batch, reason);
    if (batch.length === 1) throw reason;
    return apart(session, batch, named, call);
  }
}

/** Separates the ids that the refusal names from the others; halves when it names none or all. */
async function apart(
  session: CloudSession,
  batch: readonly MachineRef[],
  named: readonly MachineRef[],
  call: Call,
): Promise<Outcome> {
  const half = Math.ceil(batch.length / 2);
  const parts =
    named.length > 0 && named.length < batch.length
      ? [batch.filter((machine) => !named.includes(machine)), named]
      : [batch.slice(0, half), batch.slice(half)];
  let outcome: Outcome = 'accepted';
  let failure: unknown;
  for (const part of parts) {
    try {
      if ((await terminateBatch(session, part, call)) === 'young') outcome = 'young';
    } catch (error) {
      if (!isFault(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return outcome;
}

/**
 * An old machine that EC2 does not know is gone, and what is no id at all never was one; of a young one EC2 may not
 * have heard yet.
 */
function unknownToCloud(session: CloudSession, machines: readonly MachineRef[], reason: ProviderFault): Outcome {
  if (reason.kind !== 'gone') return 'accepted';
  return machines.some((machine) => isYoung(session, machine)) ? 'young' : 'accepted';
}

function isYoung(session: CloudSession, { machine_id, launched_at, status }: MachineRef): boolean {
  if (launched_at !== undefined) return session.cloudClock.now() - Date.parse(launched_at) < youngMs;
  return status === 'pending' && session.consistencyGrace.has(`terminate ${machine_id}`, youngMs);
}

/** One id is refused, and with it the call. */
const isAboutIds = (fault: ProviderFault): boolean =>
  fault.code === 'InvalidInstanceID.NotFound' ||
  fault.code === 'InvalidInstanceID.Malformed' ||
  fault.code === 'OperationNotPermitted';
