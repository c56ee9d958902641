import { groupAction, openGroup } from './group-action.ts';
import { readProcesses } from './scaling-processes.ts';

/** Suspends processes of a group. Activities that are already decided still happen. */
export const suspendProcesses = groupAction({
  name: 'SuspendProcesses',
  mutating: true,
  handle(call) {
    const group = openGroup(call);
    const reason = `User suspended at ${new Date(call.now).toISOString().slice(0, 19)}Z`;
    for (const process of readProcesses(call)) if (!group.suspended.has(process)) group.suspended.set(process, reason);
    call.touched.push(group.name);
    return '';
  },
});
