import type { Call, MachineRef, MachineReport, Observation, ProviderFault, Watched } from '../../../core/index.ts';
import { valuesPerFilter } from './describe.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { fullScanSchedule } from './liveness/full-scan-schedule.ts';
import { attemptName, checkLiveness, zoneOf, type LivenessCheck } from './liveness/liveness-check.ts';
import { lateShortfall, reportOf, type MachineData } from './machines.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import { eachInTurns, mapInTurns, turnsBetween } from '../connection/answers/in-turns.ts';
import { poolsOf, weightOf } from '../launch/pools.ts';
import { machineQueries, type MachineQueries } from './machine-queries.ts';
import { knowsName, tagLater } from './later-tags.ts';
import { reclaimsOf } from './liveness/reclaims.ts';
import { retirementsOf } from './liveness/retirements.ts';
import { learnSpotPrices } from '../prices/spot-prices.ts';
import { withPrice } from '../prices/with-price.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagValue } from '../template/tags.ts';

/** An older machine that is not listed may have lost its tags. For a younger one the listing may be late. */
const listedAfterMs = 60_000;
/** A retirement is reported only this long before it, since the machine is usable until then. */
const announcedMs = 3_600_000;
/**
 * Up to so many known machines are described by id in one call, however many ended machines their requests still list.
 */
const fewMachines = valuesPerFilter;

const unknownMessage = 'EC2 does not know the machine any more. Error Code: InvalidInstanceID.NotFound';

export interface ObserveOptions {
  /** Unknown machines may appear: the tag is always searched, because a call by id finds only known machines. */
  readonly arriving?: boolean;
  /** Units of capacity of a machine. Default: the weight of its type in the template. */
  readonly weight?: (watched: Watched, instance: InstanceSummary) => number;
}

/**
 * Observes attempts in as few calls as possible. Large numbers of attempts at rest are only checked for liveness,
 * their missing machines are described, and each attempt is fully described every ten minutes. Other attempts are
 * described by the tag of the request, with up to 200 requests and about 1000 machines in each call. Machines are
 * described by id when all machines came with the launch and few known ones are left, when the tag did not find a
 * known machine, and when only known machines are requested. `settled` considers the machines alone: the caller
 * decides whether a fleet starts more machines. A machine that no answer shows is described by exact id, and is
 * terminated only when EC2 reports that it does not know the id: an empty or incomplete answer proves nothing.
 * Machines in a zone that does not answer are reported with their last known state. When unknown machines may be in
 * such a zone, the attempt is not settled.
 */
export async function observeMachines<H extends object>(
  session: CloudSession,
  watched: readonly Watched<H>[],
  call: Call,
  options: ObserveOptions = {},
): Promise<(Observation<H> | ProviderFault)[]> {
  const checks = await checkLiveness(session, watched, call);
  const queries = machineQueries(session, call);
  await askFor(session, watched, checks.of, queries, options.arriving === true, checks.due.size > 0);
  await queries.byExactId(watched.flatMap((each) => unlisted(each, checks.of.get(each), queries)));

  await tagLater(session, queries.found.values(), namesToTell(watched), call);
  const spot = new Set(watched.flatMap((each) => spotMachines(each, checks.of.get(each))));
  for (const [id, { InstanceLifecycle, State }] of queries.found)
    if (InstanceLifecycle === 'spot' && State?.Name === 'running') spot.add(id);
  const [reclaims, retirements] = await Promise.all([
    reclaimsOf(session, spot, call),
    watched.some(({ steady }) => steady) ? retirementsOf(session, call) : undefined,
    learnSpotPrices(session, spotTypes(queries.found.values()), call),
  ]);

  const schedule = fullScanSchedule(session);
  const tagged = new Map<string, InstanceSummary[]>();
  await eachInTurns(queries.found.values(), (instance) => {
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
    const fault = queries.faultOf(each);
    if (!fault && !check) schedule.done(attemptName(each));
    observations.push(fault ?? (await observation(each, tagged.get(attemptName(each)) ?? [], check)));
  }
  return observations;

  async function observation(each: Watched<H>, shown: readonly InstanceSummary[], check: LivenessCheck | undefined) {
    const instances = instancesOf(each, queries.found, shown);
    const { machines, outage } = await reports(session, each, instances, check, queries, options);
    if (outage && machines.length === 0) return outage;
    const template = each.order.template as CloudTemplate;
    const pending = new Set(
      each.known.filter((machine) => machine.status === 'pending').map((machine) => machine.machine_id),
    );
    const neverRan = instances.filter((instance) => pending.has(instance.InstanceId ?? ''));
    const shortfall = lateShortfall(neverRan, poolsOf(template));
    return {
      machines: await mapInTurns(machines, (report) =>
        withPrice(session, withEnd(session, report, reclaims, retirements)),
      ),
      settled: isComplete(each, machines, queries, options),
      ...(shortfall.length === 0 ? {} : { shortfall }),
    };
  }
}

/** The names of machines that are told after their launch, by machine id. The launch tells the name of a single one. */
const namesToTell = (watched: readonly Watched[]): ReadonlyMap<string, string> =>
  new Map(
    watched.flatMap(({ order, known }) =>
      (order.names?.length ?? 0) < 2
        ? []
        : known.flatMap(({ machine_id, assigned_name }) =>
            assigned_name === undefined ? [] : [[machine_id, assigned_name] as const],
          ),
    ),
  );

async function askFor(
  session: CloudSession,
  watched: readonly Watched[],
  checks: ReadonlyMap<Watched, LivenessCheck>,
  queries: MachineQueries,
  arriving: boolean,
  full: boolean,
): Promise<void> {
  const named = watched.filter((each) => each.only_known).flatMap((each) => each.known);
  const others = watched.filter((each) => !checks.has(each) && !each.only_known);
  const known = others.flatMap((each) => each.known);
  const missing = [...checks].filter(([, check]) => check.missing.length > 0);
  const byId = !arriving && !full && known.length <= fewMachines && others.every((each) => each.known.length > 0);
  // A new machine may have replaced a missing one.
  const byRequest = [...(byId ? [] : others), ...(arriving ? missing.map(([each]) => each) : [])];
  await queries.byRequest(byRequest);
  const absent = byRequest.flatMap((each) =>
    queries.faultOf(each)
      ? []
      : (checks.get(each)?.missing ?? each.known).filter(
          (machine) =>
            !queries.found.has(machine.machine_id) && isOld(session, machine) && !queries.outageOf(each, machine),
        ),
  );
  await queries.byId([
    ...named,
    ...absent,
    ...(byId ? known : []),
    ...(arriving ? [] : missing.flatMap(([, check]) => check.missing)),
  ]);
}

/** Known machines that the answers lack. */
function unlisted(each: Watched, check: LivenessCheck | undefined, queries: MachineQueries): MachineRef[] {
  if (queries.faultOf(each)) return [];
  return each.known.filter(
    (machine) =>
      machine.status !== 'terminated' &&
      !queries.found.has(machine.machine_id) &&
      !check?.running.has(machine.machine_id) &&
      !check?.unanswered.has(zoneOf(machine)) &&
      !queries.outageOf(each, machine),
  );
}

/** The reports of the machines of an attempt, and the fault because of which some have their last known state. */
async function reports(
  session: CloudSession,
  each: Watched,
  instances: readonly InstanceSummary[],
  check: LivenessCheck | undefined,
  queries: MachineQueries,
  options: ObserveOptions,
) {
  const template = each.order.template as CloudTemplate;
  const names = namesToTell([each]);
  const described = await mapInTurns(instances, (instance) => {
    const weight = options.weight?.(each, instance) ?? weightOf(template, instance.InstanceType);
    const report = reportOf(instance, weight);
    const name = names.get(report.machine_id);
    return name === undefined || knowsName(session, instance, name) ? report : { ...report, ready: false };
  });
  const seen = new Set(described.map(({ machine_id }) => machine_id));
  const living: MachineReport[] = [];
  const gone: MachineReport[] = [];
  const unknown: MachineReport[] = [];
  let outage: ProviderFault | undefined;
  for (const machine of each.known) {
    const { machine_id, status, data } = machine;
    if (seen.has(machine_id)) continue;
    const zone = zoneOf(machine);
    const about = { machine_id, ...(zone === '' ? {} : { zone }), ...(data ? { data } : {}) };
    if (queries.unknown.has(machine_id))
      gone.push({ ...about, status: 'terminated', ready: false, message: unknownMessage });
    else if (check?.running.has(machine_id)) living.push({ ...about, status: 'running', ready: true });
    else {
      const unanswered = check?.unanswered.get(zone) ?? queries.outageOf(each, machine);
      if (unanswered) unknown.push({ ...about, status, ready: false });
      outage ??= unanswered;
    }
  }
  const certain = [...described, ...living, ...gone];
  return { machines: certain.length > 0 ? [...certain, ...unknown] : [], outage };
}

/** Whether all machines of the attempt are known, or at least as many as ordered. */
function isComplete(
  each: Watched,
  machines: readonly MachineReport[],
  queries: MachineQueries,
  { arriving }: ObserveOptions,
): boolean {
  if (!queries.mayHideMachines(each) || each.steady || each.only_known || (!arriving && each.known.length > 0))
    return true;
  return (
    machines.filter(({ status }) => status === 'pending' || status === 'running').length >= each.order.machine_count
  );
}

/** The report with the earliest announced end. `null` means no end, and is reported only when all sources answered. */
function withEnd(
  { cloudClock }: CloudSession,
  report: MachineReport,
  ...ends: (ReadonlyMap<string, string> | undefined)[]
): MachineReport {
  const [first] = ends.flatMap((end) => end?.get(report.machine_id) ?? []).toSorted();
  if (first !== undefined && Date.parse(first) - cloudClock.now() <= announcedMs)
    return { ...report, reclaim_at: cloudClock.toBrokerTime(first) };
  return report.status === 'running' && ends.every((end) => end !== undefined)
    ? { ...report, reclaim_at: null }
    : report;
}

/** The types of the described Spot machines that live. */
function spotTypes(described: Iterable<InstanceSummary>): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { InstanceLifecycle, InstanceType, State } of described)
    if (InstanceLifecycle === 'spot' && InstanceType && (State?.Name === 'pending' || State?.Name === 'running'))
      types.add(InstanceType);
  return types;
}

function spotMachines({ known }: Watched, check: LivenessCheck | undefined): string[] {
  const isSpot = ({ machine_id, data }: MachineRef) =>
    check?.running.has(machine_id) && (data as MachineData | undefined)?.market === 'spot';
  return known.flatMap((machine) => (isSpot(machine) ? [machine.machine_id] : []));
}

/** The machines with the tags of this attempt, and its known machines without tags. */
function instancesOf(
  watched: Watched,
  found: ReadonlyMap<string, InstanceSummary>,
  tagged: readonly InstanceSummary[],
): InstanceSummary[] {
  const ids = new Set(tagged.map((instance) => instance.InstanceId));
  const untagged = watched.known.flatMap(({ machine_id }) =>
    ids.has(machine_id) ? [] : (found.get(machine_id) ?? []),
  );
  return [...tagged, ...untagged];
}

function isOld(session: CloudSession, { launched_at }: MachineRef): boolean {
  return launched_at === undefined || session.cloudClock.now() - Date.parse(launched_at) > listedAfterMs;
}
