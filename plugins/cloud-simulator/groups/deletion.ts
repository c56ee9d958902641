import { draw } from '../knobs/span.ts';
import type { CallContext } from '../state/call-context.ts';
import type { Group } from '../state/groups.ts';

/** Removes a deleted group `delete_ms` after its last machine is gone and no launch is pending. */
export function finishDeletion(context: CallContext, group: Group): void {
  const { state, knobs, random, now } = context;
  if (group.deletedAt === undefined || group.members.size > 0 || group.launching > 0) return;
  state.timers.plan(now + draw(knobs.groups.delete_ms, random), () => {
    const { byName, gone } = state.groups;
    if (byName.get(group.name) !== group) return;
    byName.delete(group.name);
    gone.push(group);
  });
}
