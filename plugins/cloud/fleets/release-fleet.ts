import { isFault, type MachineRef, type ReleaseTarget, type Call, type Progress } from '../../../core/index.ts';
import type { MachineData } from '../observe/machines.ts';
import type { CloudSession } from '../connection/session.ts';
import { terminate } from '../release/terminate.ts';
import type { FleetPort, FleetView, StandingHandle } from './fleet-port.ts';
import { isStopped, isVisible, mayStillDeliver, describeFleet } from './describe-fleets.ts';
import { isSameTarget, targetOf } from './targets.ts';

const soon: Progress = { done: false, again_ms: 1_000 };
const later: Progress = { done: false, again_ms: 5_000 };
/** The longest time until a machine that the cloud counts for its fleet is seen. */
const unseenMs = 60_000;

/**
 * Releases machines of a standing fleet. The target of the fleet is lowered first, and machines are terminated only
 * when the cloud shows the new target: otherwise the fleet would replace them. Each call makes one step from the state
 * that the cloud shows, so that a call may be interrupted, repeated or late.
 */
export async function releaseFleet(
  session: CloudSession,
  port: FleetPort,
  handle: StandingHandle,
  releaseTarget: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  // A complete fleet starts no more machines, so that its machines can be terminated directly.
  if (handle.complete) return terminate(session, releaseTarget.go, call);
  try {
    const fleet = await describeFleet(session, port, handle.fleet_id, call);
    if (fleet === 'propagating') return soon;
    if (!isVisible(fleet)) return await terminate(session, releaseTarget.go, call);
    if (isStopped(session, fleet)) return await endAfterStop(session, fleet, releaseTarget, call);
    if (releaseTarget.stay.length === 0 && releaseTarget.incoming === 0)
      return await stopAndEnd(session, port, handle, fleet, releaseTarget, call);
    return await (handle.fleet_type === 'maintain' ? releaseMaintain : releaseRequest)(
      session,
      port,
      handle,
      fleet,
      releaseTarget,
      call,
    );
  } catch (error) {
    // The fleet is changing. The next call continues.
    if (isFault(error) && error.kind === 'unavailable')
      return { done: false, again_ms: Math.max(1_000, error.retry_after_ms ?? 0) };
    throw error;
  }
}

/** Type maintain: sets the target to the machines that stay and those that are incoming. */
async function releaseMaintain(
  session: CloudSession,
  port: FleetPort,
  handle: StandingHandle,
  view: FleetView,
  releaseTarget: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  if (view.state !== 'active') return soon;
  const target = targetOf(handle, view.target, releaseTarget);
  if (view.neverTerminates && isSameTarget(view.target, target)) {
    const ended = await terminate(session, releaseTarget.go, call);
    return ended.done && mayHaveUnseen(session, handle, view, releaseTarget) ? later : ended;
  }
  await port.retarget(session, handle.fleet_id, target, call);
  return soon;
}

/**
 * Type request: the target cannot be changed, so that a fleet that may start too many machines is stopped, even when
 * some of them are needed; the core orders those again. A filled fleet of this type replaces no machine.
 */
async function releaseRequest(
  session: CloudSession,
  port: FleetPort,
  handle: StandingHandle,
  view: FleetView,
  releaseTarget: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  if (isFull(view)) {
    const ended = await terminate(session, releaseTarget.go, call);
    return ended.done && mayHaveUnseen(session, handle, view, releaseTarget) ? later : ended;
  }
  const { go, stay, incoming } = releaseTarget;
  const exceeds = unitsOf(handle, stay) + incoming * handle.unit < view.target.total;
  if (go.length === 0 && !exceeds) return { done: true };
  return stopAndEnd(session, port, handle, view, releaseTarget, call);
}

async function stopAndEnd(
  session: CloudSession,
  port: FleetPort,
  handle: StandingHandle,
  view: FleetView,
  releaseTarget: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  await port.stop(session, view.id, call);
  const ended = await terminate(session, releaseTarget.go, call);
  // A full fleet had no machines in flight.
  return ended.done && isFull(view) && !hasUnseen(handle, view, releaseTarget) ? ended : soon;
}

async function endAfterStop(
  session: CloudSession,
  view: FleetView,
  releaseTarget: ReleaseTarget,
  call: Call,
): Promise<Progress> {
  const waiting = mayStillDeliver(session, view);
  const ended = await terminate(session, releaseTarget.go, call);
  return ended.done && waiting ? later : ended;
}

const isFull = ({ state, fulfilled, target }: FleetView): boolean => state === 'active' && fulfilled >= target.total;

/**
 * Whether the fleet has more machines than are known and may still arrive. The cloud counts a machine for its fleet
 * some time before its tags show it, and a release that is done promises that no such machine comes.
 */
const hasUnseen = (handle: StandingHandle, { fulfilled }: FleetView, { go, stay, incoming }: ReleaseTarget): boolean =>
  unitsOf(handle, go) + unitsOf(handle, stay) + incoming * handle.unit < fulfilled;

/** The same for a fleet that continues. Its number may also be too high: it counts ended machines for some time. */
function mayHaveUnseen(
  session: CloudSession,
  handle: StandingHandle,
  view: FleetView,
  releaseTarget: ReleaseTarget,
): boolean {
  const key = `fleet ${view.id} unseen`;
  if (hasUnseen(handle, view, releaseTarget)) return session.consistencyGrace.has(key, unseenMs);
  session.consistencyGrace.end(key);
  return false;
}

const unitsOf = ({ unit }: StandingHandle, machines: readonly MachineRef[]): number =>
  machines.reduce((sum, { data }) => sum + ((data as MachineData | undefined)?.weight ?? unit), 0);
