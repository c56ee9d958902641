import type { Call, MachineRef, MachineReport, Observation, ProviderFault, Watched } from '../../../core/index.ts';
import { valuesPerFilter } from './describe.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { fullScanSchedule } from './liveness/full-scan-schedule.ts';
import { attemptName, checkLiveness, zoneOf, type LivenessCheck } from './liveness/liveness-check.ts';
import { lateShortfall, reportOf, type MachineData, type SeenMachine } from './machines.ts';
import { eachInTurns, mapInTurns, turnsBetween } from '../connection/answers/in-turns.ts';
import { poolsOf, weightOf } from '../launch/pools.ts';
import { questions, type Questions } from './questions.ts';
import { reclaimsOf } from './liveness/reclaims.ts';
import { retirementsOf } from './liveness/retirements.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagValue } from '../template/tags.ts';

/** A machine that old and yet not listed may have lost its tags; before that, the cloud may be slow to list it. */
const tagsDoubtedAfterMs = 60_000;
/** A machine whose host retires in weeks is a good machine until shortly before. */
const nearMs = 3_600_000;
/**
 * Up to so many machines are asked for by id, when all are known: one question, however many ended ones their requests
 * still show.
 */
const fewMachines = valuesPerFilter;

const unknownToCloud = 'EC2 does not know it any more. Error Code: InvalidInstanceID.NotFound';

export interface ObserveOptions {
  /**
   * Machines may appear that nobody knows yet: the tag is asked for always, because a question by id finds only known
   * ones.
   */
  readonly arriving?: boolean;
  /** Units of capacity of a machine. Default: what the template says of its type. */
  readonly weight?: (watched: Watched, instance: SeenMachine) => number;
}

/**
 * Observes attempts, in as few questions as possible. Of attempts at rest in large numbers it is only seen that their
 * machines live, and what does not show is asked for; every ten minutes they are looked at fully. All others are asked
 * for by the tag of the request, up to 200 requests and about 1000 machines in each question; by id where all machines
 * came with the launch and few known ones are left, and for known ones that the tag did not find; by id alone where
 * only known ones are asked about. Settled, as far as the machines tell: whether a fleet starts more is for its keeper
 * to say.
 *
 * What no answer shows is asked for by exact id, and is terminated only where EC2 says that it does not know the id:
 * an empty or incomplete answer says nothing of the machines that it lacks. Machines in a zone that does not answer
 * are reported as they were known. Where unknown ones may be there too, the attempt is not settled. /
 */
export async function observeMachines<H extends object>(
  session: CloudSession,
  watched: readonly Watched<H>[],
  call: Call,
  options: ObserveOptions = {},
): Promise<(Observation<H> | ProviderFault)[]> {
  const checks = await checkLiveness(session, watched, call);
  const asked = questions(session, call);
  await askFor(session, watched, checks.of, asked, options.arriving === true, checks.due.size > 0);
  await asked.byExactId(watched.flatMap((each) => lacking(each, checks.of.get(each), asked)));

  const spot = new Set(watched.flatMap((each) => spotMachines(each, checks.of.get(each))));
  for (const [id, { InstanceLifecycle, State }] of asked.found)
    if (InstanceLifecycle === 'spot' && State?.Name === 'running') spot.add(id);
  const [reclaims, retirements] = await Promise.all([
    reclaimsOf(session, spot, call),
    watched.some(({ steady }) => steady) ? retirementsOf(session, call) : undefined,
  ]);

  const schedule = fullScanSchedule(session);
  const tagged = new Map<string, SeenMachine[]>();
  await eachInTurns(asked.found.values(), (instance) => {
    const name = `${tagValue(instance.Tags, ownTags.request)}#${tagValue(instance.Tags, ownTags.attempt)}`;
    const alike = tagged.get(name);
    if (alike) alike.push(instance);
    else tagged.set(name, [instance]);
  });
  const observations: (Observation<H> | ProviderFault)[] = [];
  const pause = turnsBetween();
  for (const each of watched) {
    await pause(each.known.length);
    const check = checks.of.get(each);
    const fault = asked.faultOf(each);
    if (!fault && !check) schedule.done(attemptName(each));
    observations.push(fault ?? (await observation(each, tagged.get(attemptName(each)) ?? [], check)));
  }
  return observations;

  async function observation(each: Watched<H>, shown: readonly SeenMachine[], check: LivenessCheck | undefined) {
    const instances = mine(each, asked.found, shown);
    const { machines, silence } = await reports(each, instances, check, asked, options);
    if (silence && machines.length === 0) return silence;
    const template = each.order.template as CloudTemplate;
    const pending = new Set(
      each.known.filter((machine) => machine.status === 'pending').map((machine) => machine.machine_id),
    );
    const neverRan = instances.filter((instance) => pending.has(instance.InstanceId ?? ''));
    const shortfall = lateShortfall(neverRan, poolsOf(template));
    return {
      machines: await mapInTurns(machines, (report) => withEnd(session, report, reclaims, retirements)),
      settled: isComplete(each, machines, asked, options),
      ...(shortfall.length === 0 ? {} : { shortfall }),
    };
  }
}

async function askFor(
  session: CloudSession,
  watched: readonly Watched[],
  checks: ReadonlyMap<Watched, LivenessCheck>,
  asked: Questions,
  arriving: boolean,
  full: boolean,
): Promise<void> {
  const named = watched.filter((each) => each.only_known).flatMap((each) => each.known);
  const others = watched.filter((each) => !checks.has(each) && !each.only_known);
  const known = others.flatMap((each) => each.known);
  const missing = [...checks].filter(([, check]) => check.missing.length > 0);
  const byId = !arriving && !full && known.length <= fewMachines && others.every((each) => each.known.length > 0);
  // Where one is missing, another may have come in its place.
  const byRequest = [...(byId ? [] : others), ...(arriving ? missing.map(([each]) => each) : [])];
  await asked.byRequest(byRequest);
  const doubted = byRequest.flatMap((each) =>
    asked.faultOf(each)
      ? []
      : (checks.get(each)?.missing ?? each.known).filter(
          (machine) =>
            !asked.found.has(machine.machine_id) && isOld(session, machine) && !asked.silenceOf(each, machine),
        ),
  );
  await asked.byId([
    ...named,
    ...doubted,
    ...(byId ? known : []),
    ...(arriving ? [] : missing.flatMap(([, check]) => check.missing)),
  ]);
}

/** Machines that should have been listed. */
function lacking(each: Watched, check: LivenessCheck | undefined, asked: Questions): MachineRef[] {
  if (asked.faultOf(each)) return [];
  return each.known.filter(
    (machine) =>
      machine.status !== 'terminated' &&
      !asked.found.has(machine.machine_id) &&
      !check?.running.has(machine.machine_id) &&
      !check?.silent.has(zoneOf(machine)) &&
      !asked.silenceOf(each, machine),
  );
}

/** What is to be said of the machines of an attempt, and why some are said to be as they were known. */
async function reports(
  each: Watched,
  instances: readonly SeenMachine[],
  check: LivenessCheck | undefined,
  asked: Questions,
  options: ObserveOptions,
) {
  const template = each.order.template as CloudTemplate;
  const described = await mapInTurns(instances, (instance) =>
    reportOf(instance, options.weight?.(each, instance) ?? weightOf(template, instance.InstanceType)),
  );
  const seen = new Set(described.map(({ machine_id }) => machine_id));
  const living: MachineReport[] = [];
  const gone: MachineReport[] = [];
  const unknown: MachineReport[] = [];
  let silence: ProviderFault | undefined;
  for (const machine of each.known) {
    const { machine_id, status, data } = machine;
    if (seen.has(machine_id)) continue;
    const zone = zoneOf(machine);
    const about = { machine_id, ...(zone === '' ? {} : { zone }), ...(data ? { data } : {}) };
    if (asked.unknown.has(machine_id))
      gone.push({ ...about, status: 'terminated', ready: false, message: unknownToCloud });
    else if (check?.running.has(machine_id)) living.push({ ...about, status: 'running', ready: true });
    else {
      const silent = check?.silent.get(zone) ?? asked.silenceOf(each, machine);
      if (silent) unknown.push({ ...about, status, ready: false });
      silence ??= silent;
    }
  }
  const sure = [...described, ...living, ...gone];
  return { machines: sure.length > 0 ? [...sure, ...unknown] : [], silence };
}

/** All its machines are known, or at least as many as were ordered. */
function isComplete(
  each: Watched,
  machines: readonly MachineReport[],
  asked: Questions,
  { arriving }: ObserveOptions,
): boolean {
  if (!asked.mayHideMachines(each) || each.steady || each.only_known || (!arriving && each.known.length > 0))
    return true;
  return (
    machines.filter(({ status }) => status === 'pending' || status === 'running').length >= each.order.machine_count
  );
}

/** Ends that are near; that there is none is said where all of them could be asked for. */
function withEnd(
  { cloudClock }: CloudSession,
  report: MachineReport,
  ...ends: (ReadonlyMap<string, string> | undefined)[]
): MachineReport {
  const [first] = ends.flatMap((end) => end?.get(report.machine_id) ?? []).toSorted();
  if (first !== undefined && Date.parse(first) - cloudClock.now() <= nearMs)
    return { ...report, reclaim_at: cloudClock.ours(first) };
  return report.status === 'running' && ends.every((end) => end !== undefined)
    ? { ...report, reclaim_at: null }
    : report;
}

function spotMachines({ known }: Watched, check: LivenessCheck | undefined): string[] {
  const isSpot = ({ machine_id, data }: MachineRef) =>
    check?.running.has(machine_id) && (data as MachineData | undefined)?.market === 'spot';
  return known.flatMap((machine) => (isSpot(machine) ? [machine.machine_id] : []));
}

/** Those tagged as this attempt's, and those that it is known to have even without tags. */
function mine(
  watched: Watched,
  found: ReadonlyMap<string, SeenMachine>,
  tagged: readonly SeenMachine[],
): SeenMachine[] {
  const ids = new Set(tagged.map((instance) => instance.InstanceId));
  const untagged = watched.known.flatMap(({ machine_id }) =>
    ids.has(machine_id) ? [] : (found.get(machine_id) ?? []),
  );
  return [...tagged, ...untagged];
}

function isOld(session: CloudSession, { launched_at }: MachineRef): boolean {
  return launched_at === undefined || session.cloudClock.now() - Date.parse(launched_at) > tagsDoubtedAfterMs;
}
