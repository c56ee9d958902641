import type { CallContext } from '../state/call-context.ts';
import { endMember } from './members.ts';
import { type FleetMember, type StandingFleet, unitsHeld, unitsWanted } from '../state/fleets/standing-fleet.ts';

/**
 * Ends machines above the target, based on the machines that the fleet counts: in each market the most expensive
 * first, of these the newest, and never below the target.
 */
export function endExcess(context: CallContext, fleet: StandingFleet): void {
  if (fleet.type !== 'maintain' || fleet.excess !== 'termination') return;
  for (const { market } of fleet.request.markets) {
    let excess = unitsHeld(fleet, market) - unitsWanted(fleet, market);
    if (excess <= 0) continue;
    const members = [...fleet.members.values()].filter((member) => member.market === market).toSorted(dearestFirst);
    for (const member of members) {
      if (member.weight > excess) continue;
      excess -= member.weight;
      endMember(context, fleet, member, 'termination_notified');
    }
  }
}

// Machines that have ended unnoticed come last: a fleet that shrinks before it notices their end also ends live
// machines.
function dearestFirst(a: FleetMember, b: FleetMember): number {
  const ended = Number(a.instance.shutdownAt !== undefined) - Number(b.instance.shutdownAt !== undefined);
  return ended || b.unitPrice - a.unitPrice || b.instance.place - a.instance.place;
}
