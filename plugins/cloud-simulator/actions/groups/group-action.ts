import type { Action, ActionCall } from '../../dispatch/action.ts';
import { activityInProgress, asGroupError, validationError } from '../../groups/refusals.ts';
import type { Group } from '../../state/groups.ts';
import { required } from '../../wire/values.ts';

/** Turns an action into one of Auto Scaling: with its API version and its error codes. */
export function groupAction(action: Omit<Action, 'version'>): Action {
  return {
    ...action,
    version: '2011-01-01',
    handle(call) {
      try {
        return action.handle(call);
      } catch (error) {
        throw asGroupError(error);
      }
    },
  };
}

/** The group that `AutoScalingGroupName` names, even if it is being deleted. */
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
