import type { ActionCall } from '../../dispatch/action.ts';
import { attach } from '../../groups/members.ts';
import { changed } from '../../groups/reconcile.ts';
import { validationError } from '../../groups/refusals.ts';
import type { Group } from '../../state/groups.ts';
import { type Instance, stateOf } from '../../state/instances/instance.ts';
import { AwsError } from '../../wire/errors.ts';
import { memberTexts } from '../../wire/members.ts';
import { instancesById } from '../instances/instance-ids.ts';
import { groupAction, openGroup } from './group-action.ts';

const maxIds = 20;

/** Adds running machines to a group, whose desired capacity rises with them: all named machines, or none. */
export const attachInstances = groupAction({
  name: 'AttachInstances',
  mutating: true,
  handle(call) {
    const group = openGroup(call);
    const ids = [...new Set(memberTexts(call.params, 'InstanceIds'))];
    if (ids.length === 0) throw validationError('At least one instance ID must be specified.');
    if (ids.length > maxIds) throw validationError(`You can attach at most ${maxIds} instances in one call.`);
    const instances = machines(call, ids);
    for (const instance of instances) checkAttachable(call, group, instance);
    const desired = group.desired + instances.length;
    if (desired > group.config.max)
      throw validationError(
        `AutoScalingGroup ${group.name} would have the desired capacity ${desired}, which is above its max size of ${group.config.max}.`,
      );
    group.desired = desired;
    call.touched.push(group.name);
    for (const instance of instances) attach(call, group, instance);
    changed(call, group);
    return '';
  },
});

/** Auto Scaling reports an unknown machine as a validation error. */
function machines(call: ActionCall, ids: readonly string[]): Instance[] {
  try {
    return instancesById(call, ids);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    throw validationError(`Invalid Instance ID(s): [${ids.join(', ')}] specified. ${error.message}`);
  }
}

function checkAttachable(call: ActionCall, group: Group, instance: Instance): void {
  const { id, zone } = instance;
  if (stateOf(instance, call.now) !== 'running')
    throw validationError(`Invalid Instance ID(s): [${id}] specified. The instance is not in the running state.`);
  const owner = [...call.state.groups.byName.values()].find((one) => one.members.has(id));
  if (owner !== undefined)
    throw validationError(`Instance ${id} is already part of AutoScalingGroup:${owner.name}. Detach it first.`);
  if (!group.config.zones.includes(zone))
    throw validationError(`Instance ${id} is in ${zone}, which is not an Availability Zone of the group.`);
}
