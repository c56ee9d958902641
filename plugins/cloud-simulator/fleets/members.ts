import { draw } from '../knobs/span.ts';
import { endInstance } from '../launch/end-instance.ts';
import type { Moment } from '../dispatch/call-context.ts';
import type { Instance } from '../state/instances/instance.ts';
import { fleetGoneAfterMs } from '../state/fleets.ts';
import { recordChange, recordInstance } from './fleet-history.ts';
import { stateWord } from './fleet-words.ts';
import type { Member, StandingFleet } from './standing-fleet.ts';

const endedByFleet = { code: 'Client.UserInitiatedShutdown', message: 'Client.UserInitiatedShutdown: User initiated shutdown' };

/** Takes a machine that has just been started in. */
export function join(moment: Moment, fleet: StandingFleet, member: Member): void {
  fleet.members.set(member.instance, member);
  fleet.machines.add(member.instance);
  recordInstance(moment, fleet, 'launched', member.instance);
}

/** How the history calls the end of a machine: the second is the fleet's own choice, since it has too many. */
export type EndEvent = 'terminated' | 'termination_notified';

/** Takes a machine out of what the fleet counts. */
export function part(moment: Moment, fleet: StandingFleet, member: Member, event: EndEvent): void {
  if (!fleet.members.delete(member.instance)) return;
  member.leftAt = moment.now;
  remember(moment, fleet, member);
  recordInstance(moment, fleet, event, member.instance);
}

/** The fleet ends a machine of its own, and so knows of it at once. */
export function endMember(moment: Moment, fleet: StandingFleet, member: Member, event: EndEvent): void {
  part(moment, fleet, member, event);
  endInstance(moment, member.instance, endedByFleet);
  moment.touched.push(member.instance.id);
}

/** Ends all machines that the fleet has. */
export function endAll(moment: Moment, fleet: StandingFleet): void {
  for (const member of fleet.members.values()) endMember(moment, fleet, member, 'terminated');
}

/** What becomes of machines that come after the fleet was stopped together with its machines. */
export function takeLate(moment: Moment, fleet: StandingFleet, instances: readonly Instance[]): void {
  const { late_machines, launch_ms } = moment.knobs.fleets;
  if (late_machines === 'stay') {
    // The fleet has lost sight of them: they do not keep it from being gone.
    for (const instance of instances) fleet.machines.delete(instance);
    return;
  }
  moment.state.agenda.plan(moment.now + draw(launch_ms, moment.random), (then) => {
    for (const instance of instances) {
      const member = fleet.members.get(instance);
      if (member !== undefined) endMember(then, fleet, member, 'terminated');
    }
  });
}

/** Gives a stopped fleet its last state when no machine of it is left; two days later it can no longer be described. */
export function settleStopped(moment: Moment, fleet: StandingFleet): void {
  const { state } = fleet;
  const left = fleet.machines.size > 0 || (state === 'stopped_running' && fleet.orders.size > 0);
  if ((state !== 'stopped_running' && state !== 'stopped_terminating') || left) return;
  fleet.state = 'stopped';
  recordChange(moment, fleet, stateWord(fleet));
  moment.state.agenda.plan(moment.now + fleetGoneAfterMs, (then) => void then.state.fleets.delete(fleet.id));
}

// Lists are shown late by `stale_ms`; nobody asks for what left before.
function remember(moment: Moment, fleet: StandingFleet, member: Member): void {
  const { stale_ms } = moment.knobs.fleets;
  const oldest = moment.now - (typeof stale_ms === 'number' ? stale_ms : stale_ms.max);
  while (fleet.departed[0] !== undefined && (fleet.departed[0].leftAt as number) < oldest) fleet.departed.shift();
  fleet.departed.push(member);
}
