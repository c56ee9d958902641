import type { Action, ActionCall } from '../../dispatch/action.ts';
import { activityInProgress, inGroupWords, validationError } from '../../groups/refusals.ts';
import type { Group } from '../../state/groups.ts';
import { required } from '../../wire/values.ts';

/** Makes an action one of Auto Scaling: of its version, and refusing in its words. */
export function groupAction(action: Omit<Action, 'version'>): Action {
  return {
    ...action,
    version: '2011-01-01',
    handle(call) {
      try {
        return action.handle(call);
      } catch (error) {
        throw inGroupWords(error);
      }
    },
  };
}

/** The group that `AutoScalingGroupName` names, also when it is being deleted. */
export function namedGroup(call: ActionCall): Group {
  const name = required(call.params, 'AutoScalingGroupName');
  const group = call.state.groups.byName.get(name);
  if (group === undefined)
    throw validationError(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`);
  return group;
}

/** The group that `AutoScalingGroupName` names; refuses one that is being deleted. */
export function openGroup(call: ActionCall): Group {
  const group = namedGroup(call);
  if (group.deletedAt !== undefined) throw activityInProgress(`The group '${group.name}' is being deleted.`);
  return group;
}
