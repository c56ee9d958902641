import {
  isFault,
  type Call,
  type MachineReport,
  type Observation,
  type ProviderFault,
  type Shortfall,
  type Watched,
} from '../../../core/index.ts';
import { inTurn } from '../observe/describe.ts';
import type { MachineData } from '../observe/machines.ts';
import { observeKnown } from '../observe/observe-known.ts';
import { observeMachines } from '../observe/observe.ts';
import { marketNames, type Market } from '../launch/markets.ts';
import { withLeftOut } from '../launch/one-per-zone.ts';
import type { Pool } from '../launch/pools.ts';
import type { CloudSession } from '../connection/session.ts';
import type { FleetPort, FleetView, StandingHandle, StandingPrepared } from './fleet-port.ts';
import { isStopped, isVisible, describeFleets, mayStillDeliver, type FleetLookup } from './describe-fleets.ts';
import { explainsAll, forgetReasons, reasonsOf } from './reasons.ts';

/** The longest time until the tags of machines show that a fleet counts as delivered. */
const machinesVisibleMs = 300_000;

/**
 * Observes standing fleets: 100 fleets in each call, and all machines by tag. The list of machines that a fleet gives
 * may be out of date and is not used.
 */
export function observeFleets(
  session: CloudSession,
  port: FleetPort,
  watched: readonly Watched<StandingHandle>[],
  call: Call,
): Promise<readonly (Observation<StandingHandle> | ProviderFault)[]> {
  return observeKnown(session, watched, call, (others) => observeWhole(session, port, others, call));
}

async function observeWhole(
  session: CloudSession,
  port: FleetPort,
  watched: readonly Watched<StandingHandle>[],
  call: Call,
): Promise<readonly (Observation<StandingHandle> | ProviderFault)[]> {
  // A complete fleet needs no description.
  const ids = watched.flatMap(({ handle }) => (handle.complete ? [] : [handle.fleet_id]));
  const [fleets, seen] = await Promise.all([
    describeFleets(session, port, [...new Set(ids)], call),
    observeMachines(session, watched, call, {
      arriving: true,
      weight: ({ order }, { InstanceType }) => (order.prepared as StandingPrepared).weights[InstanceType ?? ''] ?? 1,
    }),
  ]);
  const answers = await inTurn(
    watched.map((each, i) => [each, seen[i] as (typeof seen)[number]] as const),
    async ([each, machines]) => {
      if (isFault(machines)) return machines;
      if (each.handle.complete) return { ...machines, settled: true };
      // Some machines of the fleet may be in a zone that does not answer. The fleet may then be more complete than the
      // answer shows.
      if (!machines.settled) return machines;
      const fleet = fleets.get(each.handle.fleet_id) ?? 'propagating';
      return isFault(fleet) ? fleet : observation(session, port, each, fleet, machines, call);
    },
  );
  return answers.map((answer) => {
    if (answer.status === 'fulfilled') return answer.value;
    throw answer.reason;
  });
}

async function observation(
  session: CloudSession,
  port: FleetPort,
  { handle, order }: Watched<StandingHandle>,
  fleet: FleetLookup,
  seen: Observation<StandingHandle>,
  call: Call,
): Promise<Observation<StandingHandle>> {
  if (!isVisible(fleet)) return { ...seen, settled: fleet === 'gone' };
  const stopped = isStopped(session, fleet) && !mayStillDeliver(session, fleet);
  const settled =
    stopped ||
    (handle.fleet_type === 'maintain'
      ? isAtTarget(handle, fleet, seen.machines)
      : isFilled(session, handle, fleet, seen.machines));
  // A fleet whose time is over is cancelled by the cloud, in the same state as a fleet that muster stopped.
  const timeIsOver = session.cloudClock.now() > (fleet.valid_until ?? Infinity);
  const expired = fleet.state === 'failed' || (stopped && (timeIsOver || !fleet.state.startsWith('stopped')));
  if (settled && !expired) forgetReasons(session, handle.fleet_id);
  const short = expired || (!settled && !isStopped(session, fleet) && fleet.hasError);
  const { pools, left_out } = order.prepared as StandingPrepared;
  const told = short ? await reasonsOf(session, port, fleet, seen.machines.length, pools, call) : [];
  const reasons = withLeftOut(told, pools, left_out);
  const shortMarkets = marketsShort(handle, fleet, seen.machines);
  const shortPools = pools.filter((pool) => shortMarkets.has(pool.market));
  const unexplained = expired && !explainsAll(reasons, shortPools) ? shortPools.map(expiredPool) : [];
  const shortfall = [...(seen.shortfall ?? []), ...reasons, ...unexplained];
  const stuck = !settled && explainsAll(reasons, shortPools);
  const complete = settled && (handle.fleet_type === 'request' || stopped);
  return {
    machines: seen.machines,
    settled,
    ...(shortfall.length === 0 ? {} : { shortfall }),
    ...(stuck ? { stuck } : {}),
    ...(complete ? { handle: { ...handle, complete: true } } : {}),
  };
}

/** The shortfall of a pool of a fleet whose time was over before it had its target, and that reported no reason. */
const expiredPool = ({ key }: Pool): Shortfall => ({
  offer: key,
  kind: 'capacity',
  code: 'UnfulfillableCapacity',
  message: `The fleet reached the end of its time with fewer machines than ordered in ${key} and gave no reason. Error Code: UnfulfillableCapacity`,
});

/** Whether a fleet of type maintain has its target. It is no longer settled when a machine is lost. */
function isAtTarget(handle: StandingHandle, view: FleetView, machines: readonly MachineReport[]): boolean {
  return view.state === 'active' && marketsShort(handle, view, machines).size === 0;
}

/**
 * Markets in which the fleet has less than its target. A fleet of type request does not replace machines that it once
 * had.
 */
function marketsShort(
  { fleet_type }: StandingHandle,
  { target }: FleetView,
  machines: readonly MachineReport[],
): ReadonlySet<Market> {
  const counted =
    fleet_type === 'request'
      ? machines
      : machines.filter(({ status }) => status === 'pending' || status === 'running');
  return new Set(marketNames.filter((market) => unitsIn(counted, market) < target.units[market]));
}

/**
 * Whether a fleet of type request has delivered its whole target, whatever became of the machines since. The delivered
 * capacity shrinks when machines end, and then proves nothing about incoming machines.
 */
function isFilled(
  session: CloudSession,
  handle: StandingHandle,
  view: FleetView,
  machines: readonly MachineReport[],
): boolean {
  if (view.state !== 'active') return false;
  if (marketsShort(handle, view, machines).size === 0) return true;
  return (
    view.fulfilled >= view.target.total && !session.consistencyGrace.has(`fleet ${view.id} filled`, machinesVisibleMs)
  );
}

function unitsIn(machines: readonly MachineReport[], market: Market): number {
  const data = machines.map((machine) => machine.data as MachineData | undefined);
  return data.reduce((sum, each) => sum + (each?.market === market ? (each.weight ?? 1) : 0), 0);
}
