import { planRechecks } from '../../groups/health.ts';
import { changed } from '../../groups/reconcile.ts';
import { groupAction, openGroup } from './group-action.ts';
import { readProcesses } from './scaling-processes.ts';

/** Resumes processes of a group, and checks the machines that changed while the processes were suspended. */
export const resumeProcesses = groupAction({
  name: 'ResumeProcesses',
  mutating: true,
  handle(call) {
    const group = openGroup(call);
    for (const process of readProcesses(call)) group.suspended.delete(process);
    call.touched.push(group.name);
    planRechecks(call, group);
    changed(call, group);
    return '';
  },
});
