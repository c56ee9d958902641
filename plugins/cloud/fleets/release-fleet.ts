import { isFault, type ReleaseTarget, type Call, type Progress } from '../../../core/index.ts';
import type { MachineData } from '../observe/machines.ts';
import type { CloudSession } from '../connection/session.ts';
import { terminate } from '../release/terminate.ts';
import type { FleetPort, FleetView, StandingHandle } from './fleet-port.ts';
import { isStopped, isView, mayStillDeliver, sightOf } from './look-up.ts';
import { targetOf } from './targets.ts';

const soon: Progress = { done: false, again_ms: 1_000 };

/**
 * Brings a standing fleet to its aim. What the fleet wants comes first, and only when the cloud shows it done do
 * machines end: the other way round the fleet would replace them. Each call takes one step on from what the cloud
 * shows, so that it may be broken off, repeated or come late anywhere. /
 */
export async function releaseFleet(
  session: CloudSession,
  port: FleetPort,
  handle: StandingHandle,
  aim: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  // It starts nothing more: its machines are machines like others.
  if (handle.complete) return terminate(session, aim.go, call);
  try {
    const sight = await sightOf(session, port, handle.fleet_id, call);
    if (sight === 'young') return soon;
    if (!isView(sight)) return await terminate(session, aim.go, call);
    if (isStopped(session, sight)) return await endAfterStop(session, sight, aim, call);
    if (aim.stay.length === 0 && aim.to_come === 0) return await stopAndEnd(session, port, sight, aim, call);
    return await (handle.fleet_type === 'maintain' ? shrink : bound)(session, port, handle, sight, aim, call);
  } catch (error) {
    // The fleet is in the middle of something: the next call finds it further.
    if (isFault(error) && error.kind === 'unavailable')
      return { done: false, again_ms: Math.max(1_000, error.retry_after_ms ?? 0) };
    throw error;
  }
}

/** Type maintain: the target becomes what shall stay and may still come. */
async function shrink(
  session: CloudSession,
  port: FleetPort,
  handle: StandingHandle,
  view: FleetView,
  aim: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  if (view.state !== 'active') return soon;
  const target = targetOf(handle, aim);
  const { total, onDemand } = view.target;
  if (view.keeps && total === target.total && onDemand === target.onDemand) return terminate(session, aim.go, call);
  await port.retarget(session, handle.fleet_id, target, call);
  return soon;
}

/**
 * Type request: its target cannot be changed, so one that may start more than is wanted is stopped, also where some
 * are wanted; they are ordered anew. What was filled once is never refilled. /
 */
async function bound(
  session: CloudSession,
  port: FleetPort,
  handle: StandingHandle,
  view: FleetView,
  aim: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  if (isFull(view)) return terminate(session, aim.go, call);
  const units = aim.stay.reduce(
    (sum, { data }) => sum + ((data as MachineData | undefined)?.weight ?? handle.unit),
    0,
  );
  const exceeds = units + aim.to_come * handle.unit < view.target.total;
  if (aim.go.length === 0 && !exceeds) return { done: true };
  return stopAndEnd(session, port, view, aim, call);
}

async function stopAndEnd(
  session: CloudSession,
  port: FleetPort,
  view: FleetView,
  aim: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  await port.stop(session, view.id, call);
  const ended = await terminate(session, aim.go, call);
  // One that had all it wanted had nothing on the way.
  return ended.done && isFull(view) ? ended : soon;
}

async function endAfterStop(
  session: CloudSession,
  view: FleetView,
  aim: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  const waiting = mayStillDeliver(session, view);
  const ended = await terminate(session, aim.go, call);
  return ended.done && waiting ? { done: false, again_ms: 5_000 } : ended;
}

const isFull = ({ state, fulfilled, target }: FleetView): boolean => state === 'active' && fulfilled >= target.total;
