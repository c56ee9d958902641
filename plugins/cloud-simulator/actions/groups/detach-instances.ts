import { detach } from '../../groups/members.ts';
import { changed } from '../../groups/reconcile.ts';
import { validationError } from '../../groups/refusals.ts';
import { activityXml } from '../../wire/xml/activity-xml.ts';
import { lifecycleOf } from '../../wire/xml/group-xml.ts';
import { memberSet } from '../../wire/members.ts';
import { groupAction, openGroup } from './group-action.ts';
import { namedMembers, readDecrement } from './named-members.ts';

const maxIds = 20;

/**
 * Detaches machines in service, which keep running: all named machines, or none. Without a decrement the group
 * launches replacements.
 */
export const detachInstances = groupAction({
  name: 'DetachInstances',
  mutating: true,
  handle(call) {
    const group = openGroup(call);
    const decrement = readDecrement(call.params);
    const members = namedMembers(call, group, maxIds);
    const unready = members.find((member) => lifecycleOf(member, call.now) !== 'InService');
    if (unready !== undefined)
      throw validationError(`The instance ${unready.instance.id} is not in InService or Standby.`);
    // AWS documents that the capacity falls by the number of machines, not by their weights.
    const desired = decrement ? group.desired - members.length : group.desired;
    if (desired < group.config.min) {
      throw validationError(
        `Detaching ${members.length} instances without replacement would take the group below its min size of ${group.config.min}. Lower the min size, or do not decrement the desired capacity.`,
      );
    }
    group.desired = desired;
    call.touched.push(group.name);
    const cause = `an instance was detached in response to a user request${decrement ? ', shrinking the desired capacity' : ''}.`;
    const activities = members.map((member) => detach(call, group, member, cause));
    changed(call, group);
    return memberSet('Activities', activities, (activity) => activityXml(activity, call.now));
  },
});
