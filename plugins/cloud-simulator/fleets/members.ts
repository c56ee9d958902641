import { draw } from '../knobs/span.ts';
import { endInstance } from '../launch/end-instance.ts';
import type { CallContext } from '../state/call-context.ts';
import { type Instance, userInitiated } from '../state/instances/instance.ts';
import { fleetGoneAfterMs } from '../state/fleets/fleets.ts';
import { recordChange, recordInstance } from './fleet-history.ts';
import { stateWord } from './fleet-words.ts';
import type { FleetMember, StandingFleet } from '../state/fleets/standing-fleet.ts';

/** Adds a newly started machine to a fleet. */
export function addFleetMember(context: CallContext, fleet: StandingFleet, member: FleetMember): void {
  fleet.members.set(member.instance, member);
  fleet.machines.add(member.instance);
  recordInstance(context, fleet, 'launched', member.instance);
}

/** The history event of the end of a machine: `termination_notified` if the fleet ended an excess machine. */
export type EndEvent = 'terminated' | 'termination_notified';

/** Removes a machine from those that the fleet counts. */
export function removeFleetMember(
  context: CallContext,
  fleet: StandingFleet,
  member: FleetMember,
  event: EndEvent,
): void {
  if (!fleet.members.delete(member.instance)) return;
  member.leftAt = context.now;
  remember(context, fleet, member);
  recordInstance(context, fleet, event, member.instance);
}

/** Ends a machine by decision of the fleet, which therefore notices the end at once. */
export function endMember(context: CallContext, fleet: StandingFleet, member: FleetMember, event: EndEvent): void {
  removeFleetMember(context, fleet, member, event);
  endInstance(context, member.instance, userInitiated);
  context.touched.push(member.instance.id);
}

/** Ends all machines that the fleet counts. */
export function endAll(context: CallContext, fleet: StandingFleet): void {
  for (const member of fleet.members.values()) endMember(context, fleet, member, 'terminated');
}

/** Handles machines that start after the fleet was stopped together with its machines. */
export function handleLateMachines(context: CallContext, fleet: StandingFleet, instances: readonly Instance[]): void {
  const { late_machines, launch_ms } = context.knobs.fleets;
  if (late_machines === 'stay') {
    // The fleet no longer tracks these machines, so they do not delay its last state.
    for (const instance of instances) fleet.machines.delete(instance);
    return;
  }
  context.state.timers.plan(context.now + draw(launch_ms, context.random), (then) => {
    for (const instance of instances) {
      const member = fleet.members.get(instance);
      if (member !== undefined) endMember(then, fleet, member, 'terminated');
    }
  });
}

/** Sets the last state of a stopped fleet when its last machine is gone. The fleet is removed two days later. */
export function settleStopped(context: CallContext, fleet: StandingFleet): void {
  const { state } = fleet;
  const left = fleet.machines.size > 0 || (state === 'stopped_running' && fleet.orders.size > 0);
  if ((state !== 'stopped_running' && state !== 'stopped_terminating') || left) return;
  fleet.state = 'stopped';
  recordChange(context, fleet, stateWord(fleet));
  context.state.timers.plan(context.now + fleetGoneAfterMs, (then) => void then.state.fleets.delete(fleet.id));
}

// Lists show the members as of `stale_ms` ago, so members that left earlier are not needed.
function remember(context: CallContext, fleet: StandingFleet, member: FleetMember): void {
  const { stale_ms } = context.knobs.fleets;
  const oldest = context.now - (typeof stale_ms === 'number' ? stale_ms : stale_ms.max);
  while (fleet.departed[0] !== undefined && (fleet.departed[0].leftAt as number) < oldest) fleet.departed.shift();
  fleet.departed.push(member);
}
