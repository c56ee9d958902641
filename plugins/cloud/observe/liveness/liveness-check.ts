import { isFault, type Call, type MachineRef, type ProviderFault, type Watched } from '../../../../core/index.ts';
import { fullScanSchedule } from './full-scan-schedule.ts';
import { runningIn } from './liveness.ts';
import type { MachineData } from '../machines.ts';
import type { CloudSession } from '../../connection/session.ts';

/** What was seen of an attempt without describing it. */
export interface LivenessCheck {
  readonly running: ReadonlySet<string>;
  /** Machines that are known and were not shown: they must be asked for. */
  readonly missing: readonly MachineRef[];
  /** Why nothing is known of the machines in a zone, by zone. */
  readonly silent: ReadonlyMap<string, ProviderFault>;
}

export interface LivenessChecks {
  readonly of: ReadonlyMap<Watched, LivenessCheck>;
  /** Attempts for which a liveness check would have been enough, but whose full scan is due. */
  readonly due: ReadonlySet<Watched>;
}

/**
 * Checks whether the machines of attempts at rest live, where that is cheaper than describing them. What is in neither
 * of the two results has to be described. /
 */
export async function checkLiveness(
  session: CloudSession,
  watched: readonly Watched[],
  call: Call,
): Promise<LivenessChecks> {
  const of = new Map<Watched, LivenessCheck>();
  const due = new Set<Watched>();
  const calm = watched.filter(({ steady, known }) => steady && known.length > 0 && known.every(wasDescribed));
  if (calm.length === 0) return { of, due };
  const schedule = fullScanSchedule(session);
  const ours = new Map<string, number>();
  for (const each of calm) {
    if (schedule.due(attemptName(each))) due.add(each);
    for (const zone of each.known.map(zoneOf)) ours.set(zone, (ours.get(zone) ?? 0) + 1);
  }
  const candidates = calm.filter((each) => !due.has(each));
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
  running: ReadonlyMap<string, ReadonlySet<string> | ProviderFault | 'crowded'>,
): LivenessCheck | undefined {
  const seen = new Set<string>();
  const missing: MachineRef[] = [];
  const silent = new Map<string, ProviderFault>();
  for (const machine of known) {
    const zone = zoneOf(machine);
    const answer = running.get(zone);
    if (answer === undefined || answer === 'crowded') return undefined;
    if (isFault(answer)) silent.set(zone, answer);
    else if (answer.has(machine.machine_id)) seen.add(machine.machine_id);
    else missing.push(machine);
  }
  return { running: seen, missing, silent };
}

export const attemptName = ({ order }: Watched): string => `${order.request_id}#${order.attempt}`;

export const zoneOf = ({ data }: MachineRef): string => (data as MachineData | undefined)?.zone ?? '';

/** One that was only named by its fleet or group has neither name nor address yet: to see it run says too little. */
const wasDescribed = (machine: MachineRef): boolean => machine.launched_at !== undefined && zoneOf(machine) !== '';
