import {
  chunks,
  isFault,
  type Call,
  type MachineRef,
  type MachineReport,
  type Progress,
  type ProviderFault,
} from '../../../core/index.ts';
import { inTurn } from '../observe/describe.ts';
import { idsNamed } from '../faults/faults.ts';
import type { MachineData } from '../observe/machines.ts';
import type { CloudSession } from '../connection/session.ts';

/** A machine as the core knows it, or as it was just described. */
type Machine = MachineRef | MachineReport;

/** EC2 accepts 1000 ids and recommends fewer. */
const idsPerCall = 500;
/** The longest time for which EC2 may not know a new machine. */
const propagationMs = 300_000;

/**
 * Terminates machines; a machine that is gone is a success. EC2 refuses a whole call because of one unknown id, and
 * all machines of a zone because of one with termination protection. So calls are made by zone, and a refused call is
 * repeated without the ids that the error names, or in halves. Throws the remaining fault when all other machines are
 * terminated.
 */
export async function terminate(session: CloudSession, machines: readonly Machine[], call: Call): Promise<Progress> {
  // A machine that is shutting down completes its end; a repeated release need not name it again.
  const live = machines.filter(({ status }) => status !== 'shutting-down' && status !== 'terminated');
  const alive = live.filter((machine) => !isLeftToCloud(session, machine));
  const zones = Map.groupBy(alive, (machine) => (machine.data as MachineData | undefined)?.zone ?? '');
  const batches = [...zones.values()].flatMap((members) => chunks(members, idsPerCall));
  const results = await inTurn(batches, (batch) => terminateBatch(session, batch, call));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0) throw failures.find((reason) => !isFault(reason)) ?? failures[0];
  const young = results.some((result) => result.status === 'fulfilled' && result.value === 'propagating');
  return young || alive.length < live.length ? { done: false, again_ms: 5_000 } : { done: true };
}

/** The longest notice of an interruption, with a reserve. A retirement is announced earlier, and waits for nothing. */
const noticeMs = 180_000;
/** How long after the announced time a machine is left to the cloud. */
const reclaimGraceMs = 60_000;

/** Whether the configuration leaves a machine that the cloud takes back to the cloud. */
function isLeftToCloud({ settings, clock }: CloudSession, { market, reclaim_at }: Machine): boolean {
  if (settings.terminate_on_reclaim || market !== 'spot' || typeof reclaim_at !== 'string') return false;
  const remainingMs = Date.parse(reclaim_at) - clock.now();
  return remainingMs <= noticeMs && remainingMs > -reclaimGraceMs;
}

type Outcome = 'accepted' | 'propagating';

async function terminateBatch(session: CloudSession, batch: readonly Machine[], call: Call): Promise<Outcome> {
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
      return outcomeOfUnknown(session, batch, reason);
    if (batch.length === 1) throw reason;
    return terminateParts(session, batch, named, call);
  }
}

/** Separates the ids that the error names from the others. Without names, or when all are named, splits in halves. */
async function terminateParts(
  session: CloudSession,
  batch: readonly Machine[],
  named: readonly Machine[],
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
      if ((await terminateBatch(session, part, call)) === 'propagating') outcome = 'propagating';
    } catch (error) {
      if (!isFault(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return outcome;
}

/**
 * The outcome for unknown ids. An old machine that EC2 does not know is gone, and a malformed id never was a machine.
 * A new machine may not be visible yet.
 */
function outcomeOfUnknown(session: CloudSession, machines: readonly Machine[], reason: ProviderFault): Outcome {
  if (reason.kind !== 'gone') return 'accepted';
  return machines.some((machine) => mayBePropagating(session, machine)) ? 'propagating' : 'accepted';
}

function mayBePropagating(session: CloudSession, { machine_id, launched_at, status }: Machine): boolean {
  if (launched_at !== undefined) return session.cloudClock.now() - Date.parse(launched_at) < propagationMs;
  return status === 'pending' && session.consistencyGrace.has(`terminate ${machine_id}`, propagationMs);
}

/** Whether the call was refused because of one id. */
const isAboutIds = (fault: ProviderFault): boolean =>
  fault.code === 'InvalidInstanceID.NotFound' ||
  fault.code === 'InvalidInstanceID.Malformed' ||
  fault.code === 'OperationNotPermitted';
