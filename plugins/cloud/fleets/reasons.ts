import { isFault, type Call, type FaultKind, type Shortfall } from '../../../core/index.ts';
import { concealedReasons } from '../faults/concealed.ts';
import { kindOfReason } from '../faults/fault-codes.ts';
import { type Learned, once } from '../connection/once.ts';
import { poolsSeen, type Market, type Pool, type Sighting } from '../launch/pools.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import type { FleetEvent, FleetPort, FleetView } from './fleet-port.ts';

/**
 * A fleet that got nothing for so long has heard its last answer, and its history, which comes up to 30 s late, tells
 * of it.
 */
const stuckMs = 30_000;
/** A stuck fleet's history is read no more often. */
const againMs = 10_000;
/** What was wrong longer ago says nothing of now. */
const recentMs = 600_000;

interface Progress {
  readonly machines: number;
  readonly since: number;
  readonly read_at: number;
  readonly found: readonly Shortfall[];
}

/** By fleet. */
const progressOf = sessionField(() => new Map<string, Progress>());

/** The zone of each subnet, by the list of subnets that was asked about. */
const zonesBySubnet = sessionField((): Learned<ReadonlyMap<string, string>> => new Map());

/**
 * Why a fleet does not get what it wants: by offer, once nothing came for a while. Not before: what is refused in one
 * place may be had in another, and a fleet tries them all. /
 */
export async function reasonsOf(
  session: CloudSession,
  port: FleetPort,
  view: FleetView,
  machines: number,
  pools: readonly Pool[],
  call: Call,
): Promise<readonly Shortfall[]> {
  const progress = progressOf(session);
  const now = session.clock.monotonic();
  const known = progress.get(view.id);
  const before = known?.machines === machines ? known : { machines, since: now, read_at: -Infinity, found: [] };
  progress.set(view.id, before);
  if (now - before.since < stuckMs || now - before.read_at < againMs) return before.found;
  try {
    const events = await port.history(session, view.id, new Date(session.cloudClock.now() - recentMs), call);
    const zones = await zonesOf(session, pools, call);
    const found = concealedReasons(shortfallOf(events, pools, zones), session.parameterValues);
    progress.set(view.id, { ...before, read_at: now, found });
    return found;
  } catch (error) {
    if (!isFault(error)) throw error;
    // The machines were seen all the same; the reasons come with the next look.
    call.log.warn({ fleet: view.id, code: error.code }, error.message);
    return before.found;
  }
}

const final: ReadonlySet<FaultKind> = new Set(['capacity', 'quota', 'invalid', 'credentials']);

/**
 * Whether there is nothing left that a fleet could get: every pool that could give what it lacks is short, or all of
 * it was refused. Pure.
 */
export function explainsAll(reasons: readonly Shortfall[], pools: readonly Pool[]): boolean {
  const refused = reasons.filter(({ kind }) => final.has(kind));
  if (refused.some(({ offer }) => offer === undefined)) return true;
  return pools.length > 0 && pools.every(({ key }) => refused.some(({ offer }) => offer === key));
}

/** The fleet has what it wants, or will get no more. */
export const forgetReasons = (session: CloudSession, id: string): void => void progressOf(session).delete(id);

/** Events of a fleet's history as shortfalls. Pure. `zones`: zone by subnet, as far as known. */
export function shortfallOf(
  events: readonly FleetEvent[],
  pools: readonly Pool[],
  zones: ReadonlyMap<string, string>,
): Shortfall[] {
  const found = events.flatMap((event): Shortfall[] => {
    const code = /Error Code: ([\w.-]*\w)/.exec(event.description)?.[1] ?? codes[event.sub_type];
    if (code === undefined) return [];
    const kind = kindOfReason(code, event.description);
    const seen = sightingIn(event, pools);
    const named = poolsSeen(pools, seen).filter((pool) => fitsZone(event, pool, zones));
    const reason = {
      kind,
      code,
      message: event.description || `The fleet says ${event.sub_type}. Error Code: ${code}`,
    };
    const narrow = seen.market !== undefined || seen.machine_type !== undefined || seen.subnet_id !== undefined;
    // Want of capacity is never the whole order's: it is that of every pool.
    if (narrow || kind === 'capacity') return named.map(({ key }) => ({ offer: key, ...reason }));
    return [reason];
  });
  return [...new Map(found.map((each) => [`${each.offer} ${each.kind} ${each.code}`, each])).values()];
}

/** Sub-types that say enough without a code. */
const codes: Readonly<Record<string, string>> = {
  allLaunchSpecsTemporarilyBlacklisted: 'UnfulfillableCapacity',
  launchSpecTemporarilyBlacklisted: 'UnfulfillableCapacity',
  launchSpecUnusable: 'SpotMaxPriceTooLow',
  spotInstanceCountLimitExceeded: 'MaxSpotInstanceCountExceeded',
  spotFleetRequestConfigurationInvalid: 'InvalidSpotFleetRequestConfig',
  iamFleetRoleInvalid: 'UnauthorizedOperation',
};

function sightingIn({ sub_type, description }: FleetEvent, pools: readonly Pool[]): Sighting {
  const market: Market | undefined = /on-?demand/i.test(description)
    ? 'on-demand'
    : /\bspot\b/i.test(description)
      ? 'spot'
      : undefined;
  // It quotes the last of many failures.
  if (sub_type === 'allLaunchSpecsTemporarilyBlacklisted') return { market };
  const words = new Set(description.split(/[^\w.-]+/).map((word) => word.replace(/\.+$/, '')));
  const machine_type = pools.find(
    (pool) => pool.machine_type !== undefined && words.has(pool.machine_type),
  )?.machine_type;
  const subnet_id = pools.find((pool) => pool.subnet_id !== undefined && words.has(pool.subnet_id))?.subnet_id;
  return { market, machine_type, subnet_id };
}

function fitsZone(
  { sub_type, description }: FleetEvent,
  { subnet_id }: Pool,
  zones: ReadonlyMap<string, string>,
): boolean {
  if (sub_type === 'allLaunchSpecsTemporarilyBlacklisted') return true;
  const zone = /\b[a-z]{2}(?:-[a-z]+)+-\d[a-z]\b/.exec(description)?.[0];
  const mine = subnet_id === undefined ? undefined : zones.get(subnet_id);
  return zone === undefined || mine === undefined || mine === zone;
}

/** The zones of subnets: asked once, and only where there are several to tell apart. Unknown ones are left out. */
async function zonesOf(
  session: CloudSession,
  pools: readonly Pool[],
  call: Call,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(pools.flatMap((pool) => pool.subnet_id ?? []))].toSorted();
  if (ids.length < 2) return new Map();
  return once(zonesBySubnet(session), ids.join(), async () => {
    const { Subnets } = await session.read((ec2) => new ec2.DescribeSubnetsCommand({ SubnetIds: ids }), call);
    return new Map((Subnets ?? []).map((subnet) => [subnet.SubnetId ?? '', subnet.AvailabilityZone ?? '']));
  });
}
