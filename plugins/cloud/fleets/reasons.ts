import { isFault, type Call, type FaultKind, type Shortfall } from '../../../core/index.ts';
import { redactedReasons } from '../faults/redacted.ts';
import { reasonFor } from '../faults/fault-codes.ts';
import type { Market } from '../launch/markets.ts';
import { matchingPools, type Pool, type PoolMatch } from '../launch/pools.ts';
import { zonesOfSubnets } from '../launch/subnets.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import type { FleetEvent, FleetPort, FleetView } from './fleet-port.ts';

/** The time without new machines after which the history of a fleet is read. The history is up to 30 s late. */
const stuckMs = 30_000;
/** The shortest time between two reads of the history of a fleet. */
const readIntervalMs = 10_000;
/** Older events are ignored. */
const historyMs = 600_000;

interface Progress {
  readonly machines: number;
  readonly since: number;
  readonly read_at: number;
  readonly found: readonly Shortfall[];
}

const progressOf = sessionField(() => new Map<string, Progress>());

/**
 * Why a fleet gets fewer machines than its target, by offer, once no machine came for a while. Not earlier: a fleet
 * tries all its pools, and capacity that one lacks may be in another.
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
  if (now - before.since < stuckMs || now - before.read_at < readIntervalMs) return before.found;
  try {
    const events = await port.history(session, view.id, new Date(session.cloudClock.now() - historyMs), call);
    session.logEncoded(
      'The launch of a fleet',
      events.map(({ description }) => description),
    );
    const subnets = pools.flatMap((pool) => pool.subnet_id ?? []);
    const zones = await zonesOfSubnets(session, subnets, call);
    const found = redactedReasons(shortfallOf(events, pools, zones), session.parameterValues);
    progress.set(view.id, { ...before, read_at: now, found });
    return found;
  } catch (error) {
    if (!isFault(error)) throw error;
    // The observation of the machines is valid without the reasons; the next observation reads them again.
    call.log.warn({ fleet: view.id, code: error.code }, error.message);
    return before.found;
  }
}

const finalKinds: ReadonlySet<FaultKind> = new Set(['capacity', 'quota', 'invalid', 'credentials']);

/**
 * Whether a fleet can get no more machines: every pool that could deliver the missing capacity refused, or a refusal
 * concerns all pools.
 */
export function explainsAll(reasons: readonly Shortfall[], pools: readonly Pool[]): boolean {
  const refused = reasons.filter(({ kind }) => finalKinds.has(kind));
  if (refused.some(({ offer }) => offer === undefined)) return true;
  return pools.length > 0 && pools.every(({ key }) => refused.some(({ offer }) => offer === key));
}

/** Called when the fleet has its target, or gets no more machines. */
export const forgetReasons = (session: CloudSession, id: string): void => void progressOf(session).delete(id);

/** Converts events of the history of a fleet to shortfalls. `zones`: zone by subnet, as far as known. */
export function shortfallOf(
  events: readonly FleetEvent[],
  pools: readonly Pool[],
  zones: ReadonlyMap<string, string>,
): Shortfall[] {
  const found = events.flatMap((event): Shortfall[] => {
    const code = /Error Code: ([\w.-]*\w)/.exec(event.description)?.[1] ?? codes[event.sub_type];
    if (code === undefined) return [];
    const seen = poolMatchIn(event, pools);
    const named = matchingPools(pools, seen).filter((pool) => fitsZone(event, pool, zones));
    const reason = reasonFor(code, withoutCode(event.description) || `The fleet reported ${event.sub_type}`);
    const namesPool = seen.market !== undefined || seen.machine_type !== undefined || seen.subnet_id !== undefined;
    // A lack of capacity without a named pool counts for every pool, never for the order as a whole.
    if (namesPool || reason.kind === 'capacity') return named.map(({ key }) => ({ offer: key, ...reason }));
    return [reason];
  });
  return [...new Map(found.map((each) => [`${each.offer} ${each.kind} ${each.code}`, each])).values()];
}

/** The description without the code, which the reason names at its end. */
const withoutCode = (description: string): string =>
  description
    .replace(/\s*\([^()]*Error Code: [\w.-]+[^()]*\)/, '')
    .replace(/\s*Error Code: [\w.-]*\w\.?/, '')
    .trim();

/** Codes for the sub-types of events that come without a code. */
const codes: Readonly<Record<string, string>> = {
  allLaunchSpecsTemporarilyBlacklisted: 'UnfulfillableCapacity',
  launchSpecTemporarilyBlacklisted: 'UnfulfillableCapacity',
  launchSpecUnusable: 'SpotMaxPriceTooLow',
  spotInstanceCountLimitExceeded: 'MaxSpotInstanceCountExceeded',
  spotFleetRequestConfigurationInvalid: 'InvalidSpotFleetRequestConfig',
  iamFleetRoleInvalid: 'UnauthorizedOperation',
};

function poolMatchIn({ sub_type, description }: FleetEvent, pools: readonly Pool[]): PoolMatch {
  const market: Market | undefined = /on-?demand/i.test(description)
    ? 'on-demand'
    : /\bspot\b/i.test(description)
      ? 'spot'
      : undefined;
  // This event quotes only the last of many failures.
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
  const poolZone = subnet_id === undefined ? undefined : zones.get(subnet_id);
  return zone === undefined || poolZone === undefined || poolZone === zone;
}
