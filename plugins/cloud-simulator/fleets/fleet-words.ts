import { type StandingFleet, unitsHeld, unitsWanted } from '../state/fleets/standing-fleet.ts';

/** The name of the state on the wire. */
export function stateWord(fleet: StandingFleet): string {
  return fleet.state.replace('stopped', fleet.kind === 'ec2' ? 'deleted' : 'cancelled');
}

/** The activity status, by the machines that the fleet counts. */
export function activityWord(
  fleet: StandingFleet,
): 'error' | 'pending_fulfillment' | 'pending_termination' | 'fulfilled' {
  const excess = unitsHeld(fleet) - fleet.target.total;
  const shrinks = fleet.type === 'maintain' && fleet.excess === 'termination';
  if (excess > 0 && shrinks && fleet.state === 'modifying') return 'pending_termination';
  const reached = fleet.request.markets.every(({ market }) => unitsHeld(fleet, market) >= unitsWanted(fleet, market));
  if (reached) return 'fulfilled';
  return fleet.errors['on-demand'].length + fleet.errors.spot.length > 0 ? 'error' : 'pending_fulfillment';
}
