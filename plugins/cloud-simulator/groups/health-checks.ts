import { draw } from '../knobs/span.ts';
import type { CallContext } from '../state/call-context.ts';
import type { Group } from '../state/groups.ts';
import { checkHealth } from './health.ts';

const leastBetweenMs = 1000;

/** Plans health checks for every group, if the knobs make any machine unhealthy. */
export function planAllGroupChecks(context: CallContext): void {
  for (const group of context.state.groups.byName.values()) planGroupCheck(context, group);
}

/** Plans the next health check of a group, unless every machine is healthy. */
export function planGroupCheck(context: CallContext, group: Group): void {
  const { knobs, now, random, state } = context;
  const needless = knobs.health.length === 0 && knobs.outages.length === 0;
  if (needless || group.checking || group.deletedAt !== undefined) return;
  group.checking = true;
  state.timers.plan(now + Math.max(leastBetweenMs, draw(knobs.groups.health_ms, random)), (then) => {
    group.checking = false;
    for (const member of group.members.values())
      if (member.instance.shutdownAt === undefined) checkHealth(then, group, member);
    planGroupCheck(then, group);
  });
}
