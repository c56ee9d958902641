import { reconcileSoon } from '../../groups/reconcile.ts';
import { validationError } from '../../groups/refusals.ts';
import { lifecycleOf } from '../../wire/xml/group-xml.ts';
import { flag, required } from '../../wire/values.ts';
import { groupAction, openGroup } from './group-action.ts';
import { namedMembers } from './named-members.ts';

const maxIds = 50;

/** Sets or removes the scale-in protection of machines in service. */
export const setInstanceProtection = groupAction({
  name: 'SetInstanceProtection',
  mutating: true,
  handle(call) {
    const group = openGroup(call);
    required(call.params, 'ProtectedFromScaleIn');
    const guarded = flag(call.params, 'ProtectedFromScaleIn') ?? false;
    const members = namedMembers(call, group, maxIds);
    const unready = members.find((member) => lifecycleOf(member, call.now) !== 'InService');
    if (unready !== undefined)
      throw validationError(`The instance ${unready.instance.id} is not in InService or EnteringStandby or Standby.`);
    for (const member of members) member.guarded = guarded;
    call.touched.push(group.name);
    // A group above its desired capacity may now have a machine that it can end.
    reconcileSoon(call, group);
    return '';
  },
});
