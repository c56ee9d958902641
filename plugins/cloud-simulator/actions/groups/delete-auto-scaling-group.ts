import { finishDeletion } from '../../groups/deletion.ts';
import { dismiss } from '../../groups/members.ts';
import { activityInProgress, resourceInUse } from '../../groups/refusals.ts';
import { stayingMembers } from '../../state/groups.ts';
import { flag } from '../../wire/values.ts';
import { groupAction, namedGroup } from './group-action.ts';

/**
 * Deletes an empty group, or with `ForceDelete` a group and all its machines. The group exists, and its name is in
 * use, until its machines are gone.
 */
export const deleteAutoScalingGroup = groupAction({
  name: 'DeleteAutoScalingGroup',
  mutating: true,
  handle(call) {
    const group = namedGroup(call);
    const force = flag(call.params, 'ForceDelete') ?? false;
    const members = stayingMembers(group);
    if (!force && members.length > 0)
      throw resourceInUse('You cannot delete an AutoScalingGroup while there are instances still in the group.');
    if (!force && (group.members.size > 0 || group.launching > 0))
      throw activityInProgress(
        'You cannot delete an AutoScalingGroup while there are scaling activities in progress for that group.',
      );
    call.touched.push(group.name);
    if (group.deletedAt !== undefined) return '';
    group.deletedAt = call.now;
    group.config = { ...group.config, min: 0, max: 0 };
    group.desired = 0;
    for (const member of members)
      dismiss(call, group, member, 'an instance was taken out of service since the group is being deleted.');
    finishDeletion(call, group);
    return '';
  },
});
