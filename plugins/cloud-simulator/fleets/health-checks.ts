import type { CallContext } from '../state/call-context.ts';
import { healthOf } from '../state/instances/health.ts';
import { planRound } from './fleet-round.ts';
import { endMember } from './members.ts';
import { isStopped, type FleetMember, type StandingFleet } from '../state/fleets/standing-fleet.ts';

const betweenMs = 120_000;
const failedChecks = 3;

/** Plans health checks for every fleet that replaces unhealthy machines, if the knobs make any machine unhealthy. */
export function planAllFleetChecks(context: CallContext): void {
  for (const fleet of context.state.fleets.values()) if (fleet.type !== 'instant') planFleetCheck(context, fleet);
}

/** Plans the next health check of a fleet, unless every machine is healthy. */
export function planFleetCheck(context: CallContext, fleet: StandingFleet): void {
  const { knobs, now, state } = context;
  const needless = knobs.health.length === 0 && knobs.outages.length === 0;
  if (needless || !fleet.request.replaceUnhealthy || fleet.checking || isStopped(fleet)) return;
  fleet.checking = true;
  state.timers.plan(now + betweenMs, (then) => {
    fleet.checking = false;
    check(then, fleet);
    planFleetCheck(then, fleet);
  });
}

/** Ends the Spot machines that failed their checks; AWS replaces only these. */
function check(context: CallContext, fleet: StandingFleet): void {
  if (fleet.state !== 'active') return;
  const failed = [...fleet.members.values()].filter(
    (member) => member.market === 'spot' && hasFailed(context, member),
  );
  for (const member of failed) endMember(context, fleet, member, 'terminated');
  if (failed.length > 0) planRound(context, fleet, context.now);
}

function hasFailed(context: CallContext, { instance }: FleetMember): boolean {
  const { impairedSince } = healthOf(context, instance);
  return impairedSince !== undefined && context.now - impairedSince >= failedChecks * betweenMs;
}
