import type { Moment } from '../dispatch/call-context.ts';
import { healthOf } from '../state/instances/health.ts';
import { planLook } from './fleet-round.ts';
import { endMember } from './members.ts';
import { isStopped, type Member, type StandingFleet } from './standing-fleet.ts';

const betweenMs = 120_000;
const failedChecks = 3;

/** Lets every fleet that replaces unhealthy machines check them, as long as the knobs leave any machine unhealthy. */
export function planHealthChecks(moment: Moment): void {
  for (const fleet of moment.state.fleets.values()) if (fleet.type !== 'instant') planChecks(moment, fleet);
}

/** Plans the next check of a fleet; while every machine is healthy there is none. */
export function planChecks(moment: Moment, fleet: StandingFleet): void {
  const { knobs, now, state } = moment;
  const needless = knobs.health.length === 0 && knobs.outages.length === 0;
  if (needless || !fleet.request.replaceUnhealthy || fleet.checking || isStopped(fleet)) return;
  fleet.checking = true;
  state.agenda.plan(now + betweenMs, (then) => {
    fleet.checking = false;
    check(then, fleet);
    planChecks(then, fleet);
  });
}

/** Ends the Spot machines that have failed their checks; AWS replaces no others. */
function check(moment: Moment, fleet: StandingFleet): void {
  if (fleet.state !== 'active') return;
  const failed = [...fleet.members.values()].filter((member) => member.market === 'spot' && hasFailed(moment, member));
  for (const member of failed) endMember(moment, fleet, member, 'terminated');
  if (failed.length > 0) planLook(moment, fleet, moment.now);
}

function hasFailed(moment: Moment, { instance }: Member): boolean {
  const { impairedSince } = healthOf(moment, instance);
  return impairedSince !== undefined && moment.now - impairedSince >= failedChecks * betweenMs;
}
