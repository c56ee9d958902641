import type { ActionCall } from '../../dispatch/action.ts';
import { dismiss } from '../../groups/members.ts';
import { changed } from '../../groups/reconcile.ts';
import { activityInProgress, validationError } from '../../groups/refusals.ts';
import type { Group, GroupMember } from '../../state/groups.ts';
import { activityXml } from '../../wire/xml/activity-xml.ts';
import { memberSet, memberTexts } from '../../wire/members.ts';
import { required } from '../../wire/values.ts';
import { node } from '../../wire/xml/xml.ts';
import { text } from '../../wire/form.ts';
import { groupAction, openGroup } from './group-action.ts';
import { namedMembers, readDecrement } from './named-members.ts';

const maxIds = 100;

/**
 * Ends one machine of a group, or several of one group, and either lowers the desired capacity by their units or lets
 * the group replace them.
 */
export const terminateInstanceInAutoScalingGroup = groupAction({
  name: 'TerminateInstanceInAutoScalingGroup',
  mutating: true,
  handle(call) {
    const decrement = readDecrement(call.params);
    const several = memberTexts(call.params, 'InstanceIds').length > 0;
    const { group, members } = several ? inNamedGroup(call) : anywhere(call);
    const busy = members.find((member) => member.leaving);
    if (busy !== undefined) throw activityInProgress(`The instance ${busy.instance.id} is being terminated already.`);
    const units = members.reduce((sum, member) => sum + member.weight, 0);
    // The last machine may weigh more than the desired capacity.
    const desired = decrement ? Math.max(0, group.desired - units) : group.desired;
    if (desired < group.config.min) {
      throw validationError(
        `Currently, desiredSize is ${group.desired} and minSize ${group.config.min}. Terminating without replacement would violate the min size: replace the instance, or lower the min size.`,
      );
    }
    group.desired = desired;
    call.touched.push(group.name);
    const cause = `an instance was taken out of service in response to a user request${decrement ? ', shrinking the desired capacity' : ''}.`;
    const activities = members.map((member) => dismiss(call, group, member, cause));
    changed(call, group);
    const shown = activities.map((activity) => activityXml(activity, call.now));
    return several ? memberSet('Activities', shown, (xml) => xml) : node('Activity', shown[0] as string);
  },
});

function inNamedGroup(call: ActionCall): { group: Group; members: GroupMember[] } {
  if (text(call.params, 'InstanceId') !== undefined)
    throw validationError('InstanceId and InstanceIds cannot be specified together.');
  const group = openGroup(call);
  return { group, members: namedMembers(call, group, maxIds) };
}

function anywhere(call: ActionCall): { group: Group; members: GroupMember[] } {
  const id = required(call.params, 'InstanceId');
  for (const group of call.state.groups.byName.values()) {
    const member = group.members.get(id);
    if (member !== undefined) return { group, members: [member] };
  }
  throw validationError(`Instance Id not found - No managed instance found for instance ID: ${id}`);
}
