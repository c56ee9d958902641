import {
  isFault,
  type Call,
  type MachineReport,
  type Observation,
  type ProviderFault,
  type Watched,
} from '../../../core/index.ts';
import { inTurn } from '../observe/describe.ts';
import type { MachineData } from '../observe/machines.ts';
import { observeKnown } from '../observe/observe-known.ts';
import { observeMachines } from '../observe/observe.ts';
import type { Market } from '../launch/pools.ts';
import type { CloudSession } from '../connection/session.ts';
import type { FleetPort, FleetView, StandingHandle, StandingPrepared } from './fleet-port.ts';
import { isStopped, isView, lookUp, mayStillDeliver, type Sight } from './look-up.ts';
import { explainsAll, forgetReasons, reasonsOf } from './reasons.ts';

/** Machines that a fleet calls its own and that no tag shows so long after are not coming to light. */
const unseenMs = 300_000;

/**
 * Observes standing fleets: all fleets of the call in one question per 100, all machines by tag as everywhere. The
 * list that a fleet itself gives of its machines is stale and is not asked for. /
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
  // A complete fleet has nothing more to say.
  const ids = watched.flatMap(({ handle }) => (handle.complete ? [] : [handle.fleet_id]));
  const [sights, seen] = await Promise.all([
    lookUp(session, port, [...new Set(ids)], call),
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
      // Some of its machines may be where nobody answers: what is seen says nothing of how whole the fleet is.
      if (!machines.settled) return machines;
      const sight = sights.get(each.handle.fleet_id) ?? 'young';
      return isFault(sight) ? sight : observation(session, port, each, sight, machines, call);
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
  sight: Sight,
  seen: Observation<StandingHandle>,
  call: Call,
): Promise<Observation<StandingHandle>> {
  if (!isView(sight)) return { ...seen, settled: sight === 'gone' };
  const over = isStopped(session, sight) && !mayStillDeliver(session, sight);
  const settled =
    over ||
    (handle.fleet_type === 'maintain'
      ? isWhole(handle, sight, seen.machines)
      : isFilled(session, handle, sight, seen.machines));
  const expired = sight.state === 'failed' || (over && !sight.state.startsWith('stopped'));
  if (settled && !expired) forgetReasons(session, handle.fleet_id);
  const short = expired || (!settled && !isStopped(session, sight) && sight.troubled);
  const pools = (order.prepared as StandingPrepared).pools;
  const reasons = short ? await reasonsOf(session, port, sight, seen.machines.length, pools, call) : [];
  const shortfall = [...(seen.shortfall ?? []), ...reasons];
  const lacking = marketsShort(handle, sight, seen.machines);
  const stuck =
    !settled &&
    explainsAll(
      reasons,
      pools.filter((pool) => lacking.has(pool.market)),
    );
  const ended = settled && (handle.fleet_type === 'request' || over);
  return {
    machines: seen.machines,
    settled,
    ...(shortfall.length === 0 ? {} : { shortfall }),
    ...(stuck ? { stuck } : {}),
    ...(ended ? { handle: { ...handle, complete: true } } : {}),
  };
}

/** A fleet of type maintain has what it wants while it has it: it is settled no more when a machine is lost. */
function isWhole(handle: StandingHandle, view: FleetView, machines: readonly MachineReport[]): boolean {
  return view.state === 'active' && marketsShort(handle, view, machines).size === 0;
}

/** Markets in which it has less than it wants; what type request once had it does not want again. */
function marketsShort(
  { fleet_type }: StandingHandle,
  { target }: FleetView,
  machines: readonly MachineReport[],
): ReadonlySet<Market> {
  const counted =
    fleet_type === 'request'
      ? machines
      : machines.filter(({ status }) => status === 'pending' || status === 'running');
  const short = (market: Market, units: number) => (unitsIn(counted, market) < units ? [market] : []);
  return new Set([...short('on-demand', target.onDemand), ...short('spot', target.spot)]);
}

/**
 * A fleet of type request is done for good once all that it wanted came, whatever became of it since: what it counts
 * as its own shrinks again when machines end, and then says nothing of what is still to come. /
 */
function isFilled(
  session: CloudSession,
  handle: StandingHandle,
  view: FleetView,
  machines: readonly MachineReport[],
): boolean {
  if (view.state !== 'active') return false;
  if (marketsShort(handle, view, machines).size === 0) return true;
  return view.fulfilled >= view.target.total && !session.consistencyGrace.has(`fleet ${view.id} filled`, unseenMs);
}

function unitsIn(machines: readonly MachineReport[], market: Market): number {
  const data = machines.map((machine) => machine.data as MachineData | undefined);
  return data.reduce((sum, each) => sum + (each?.market === market ? (each.weight ?? 1) : 0), 0);
}
