import { lookAgain } from '../../groups/health.ts';
import { changed } from '../../groups/react.ts';
import { groupAction, openGroup } from './group-action.ts';
import { readProcesses } from './scaling-processes.ts';

/** Makes a group do again what it was told to leave off, and look at what it has missed. */
export const resumeProcesses = groupAction({
  name: 'ResumeProcesses',
  mutating: true,
  handle(call) {
    const group = openGroup(call);
    for (const process of readProcesses(call)) group.suspended.delete(process);
    call.touched.push(group.name);
    lookAgain(call, group);
    changed(call, group);
    return '';
  },
});
