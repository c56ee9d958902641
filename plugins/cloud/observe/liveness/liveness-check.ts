import { isFault, type Call, type MachineRef, type ProviderFault, type Watched } from '../../../../core/index.ts';
import { fullScanSchedule } from './full-scan-schedule.ts';
import { noteAtRest } from './known-at-rest.ts';
import { runningIn } from './liveness.ts';
import type { MachineData } from '../machines.ts';
import type { CloudSession } from '../../connection/session.ts';

/** What is known about an attempt without describing its machines. */
export interface LivenessCheck {
  readonly running: ReadonlySet<string>;
  /** Known machines that the check did not show: they must be described. */
  readonly missing: readonly MachineRef[];
  /** The fault of each zone whose machines could not be checked. */
  readonly unanswered: ReadonlyMap<string, ProviderFault>;
}

export interface LivenessChecks {
  readonly of: ReadonlyMap<Watched, LivenessCheck>;
  /** Attempts for which a liveness check would be enough, but whose full scan is due. */
  readonly due: ReadonlySet<Watched>;
}

/**
 * Checks whether the machines of attempts at rest run, where this is cheaper than describing them. Attempts in neither
 * result have to be described.
 */
export async function checkLiveness(
  session: CloudSession,
  watched: readonly Watched[],
  call: Call,
): Promise<LivenessChecks> {
  const of = new Map<Watched, LivenessCheck>();
  const due = new Set<Watched>();
  const atRest = watched.filter(({ steady, known }) => steady && known.length > 0 && known.every(wasDescribed));
  if (atRest.length === 0) return { of, due };
  const schedule = fullScanSchedule(session);
  const ours = new Map<string, number>();
  for (const each of atRest) {
    if (schedule.due(attemptName(each))) due.add(each);
    const zones = new Map([...Map.groupBy(each.known, zoneOf)].map(([zone, machines]) => [zone, machines.length]));
    noteAtRest(session, attemptName(each), zones);
    for (const [zone, count] of zones) ours.set(zone, (ours.get(zone) ?? 0) + count);
  }
  const candidates = atRest.filter((each) => !due.has(each));
  const zones = new Set(candidates.flatMap((each) => each.known.map(zoneOf)));
  const running = await runningIn(session, zones, ours, call);
  for (const each of candidates) {
    const check = checkOf(each, running);
    if (check) of.set(each, check);
  }
  return { of, due: of.size > 0 ? due : new Set() };
}

function checkOf(
  { known }: Watched,
  running: ReadonlyMap<string, ReadonlySet<string> | ProviderFault | 'too-many'>,
): LivenessCheck | undefined {
  const seen = new Set<string>();
  const missing: MachineRef[] = [];
  const unanswered = new Map<string, ProviderFault>();
  for (const machine of known) {
    const zone = zoneOf(machine);
    const answer = running.get(zone);
    if (answer === undefined || answer === 'too-many') return undefined;
    if (isFault(answer)) unanswered.set(zone, answer);
    else if (answer.has(machine.machine_id)) seen.add(machine.machine_id);
    else missing.push(machine);
  }
  return { running: seen, missing, unanswered };
}

export const attemptName = ({ order }: Watched): string => `${order.request_id}#${order.attempt}`;

export const zoneOf = ({ data }: MachineRef): string => (data as MachineData | undefined)?.zone ?? '';

/** A machine that only its fleet or group listed has no name and no address yet: its liveness is not enough. */
const wasDescribed = (machine: MachineRef): boolean => machine.launched_at !== undefined && zoneOf(machine) !== '';
