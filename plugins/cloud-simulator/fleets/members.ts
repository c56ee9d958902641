import { draw } from '../knobs/span.ts';
import { endInstance } from '../launch/end-instance.ts';
import type { CallContext } from '../state/call-context.ts';
import type { Instance } from '../state/instances/instance.ts';
import { fleetGoneAfterMs } from '../state/fleets/fleets.ts';
import { recordChange, recordInstance } from './fleet-history.ts';
import { stateWord } from './fleet-words.ts';
import type { FleetMember, StandingFleet } from '../state/fleets/standing-fleet.ts';

const endedByFleet = {
  code: 'Client.UserInitiatedShutdown',
  message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};

/** Takes a machine that has just been started in. */
export function addFleetMember(context: CallContext, fleet: StandingFleet, member: FleetMember): void {
  fleet.members.set(member.instance, member);
  fleet.machines.add(member.instance);
  recordInstance(context, fleet, 'launched', member.instance);
}

/** How the history calls the end of a machine: the second is the fleet's own choice, since it has too many. */
export type EndEvent = 'terminated' | 'termination_notified';

/** Takes a machine out of what the fleet counts. */
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

/** The fleet ends a machine of its own, and so knows of it at once. */
export function endMember(context: CallContext, fleet: StandingFleet, member: FleetMember, event: EndEvent): void {
  removeFleetMember(context, fleet, member, event);
  endInstance(context, member.instance, endedByFleet);
  context.touched.push(member.instance.id);
}

/** Ends all machines that the fleet has. */
export function endAll(context: CallContext, fleet: StandingFleet): void {
  for (const member of fleet.members.values()) endMember(context, fleet, member, 'terminated');
}

/** What becomes of machines that come after the fleet was stopped together with its machines. */
export function takeLate(context: CallContext, fleet: StandingFleet, instances: readonly Instance[]): void {
  const { late_machines, launch_ms } = context.knobs.fleets;
  if (late_machines === 'stay') {
    // The fleet has lost sight of them: they do not keep it from being gone.
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

/**
 * Gives a stopped fleet its last state when no machine of it is left; two days later it can no longer be described.
 */
export function settleStopped(context: CallContext, fleet: StandingFleet): void {
  const { state } = fleet;
  const left = fleet.machines.size > 0 || (state === 'stopped_running' && fleet.orders.size > 0);
  if ((state !== 'stopped_running' && state !== 'stopped_terminating') || left) return;
  fleet.state = 'stopped';
  recordChange(context, fleet, stateWord(fleet));
  context.state.timers.plan(context.now + fleetGoneAfterMs, (then) => void then.state.fleets.delete(fleet.id));
}

// Lists are shown late by `stale_ms`; nobody asks for what left before.
function remember(context: CallContext, fleet: StandingFleet, member: FleetMember): void {
  const { stale_ms } = context.knobs.fleets;
  const oldest = context.now - (typeof stale_ms === 'number' ? stale_ms : stale_ms.max);
  while (fleet.departed[0] !== undefined && (fleet.departed[0].leftAt as number) < oldest) fleet.departed.shift();
  fleet.departed.push(member);
}
