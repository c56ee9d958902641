import type { Params } from '../../wire/form.ts';
import { flag, required } from '../../wire/values.ts';
import type { ActionCall } from '../../dispatch/action.ts';
import { validationError } from '../../groups/refusals.ts';
import type { Group, GroupMember } from '../../state/groups.ts';
import { memberTexts } from '../../wire/members.ts';

/**
 * The machines of a group that `InstanceIds` names. Throws a ValidationError if it names none, more than `max`, or
 * one that is not in the group.
 */
export function namedMembers(call: ActionCall, group: Group, max: number): GroupMember[] {
  const ids = [...new Set(memberTexts(call.params, 'InstanceIds'))];
  if (ids.length === 0) throw validationError('At least one instance ID must be specified.');
  if (ids.length > max) throw validationError(`You can specify at most ${max} instance IDs in one call.`);
  return ids.map((id) => {
    const member = group.members.get(id);
    if (member === undefined)
      throw validationError(`The instance ${id} is not part of Auto Scaling group ${group.name}.`);
    return member;
  });
}

/** Reads `ShouldDecrementDesiredCapacity`, a required parameter. */
export function readDecrement(params: Params): boolean {
  required(params, 'ShouldDecrementDesiredCapacity');
  return flag(params, 'ShouldDecrementDesiredCapacity') ?? false;
}
