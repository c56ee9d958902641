import { validationError } from '../../groups/refusals.ts';
import { memberTexts } from '../../wire/members.ts';
import { groupAction, namedGroup } from './group-action.ts';

/** Shows the lifecycle hooks of a group, of which none can be made here. */
export const describeLifecycleHooks = groupAction({
  name: 'DescribeLifecycleHooks',
  mutating: false,
  handle(call) {
    const group = namedGroup(call);
    const [name] = memberTexts(call.params, 'LifecycleHookNames');
    if (name !== undefined)
      throw validationError(`Lifecycle Hook(s) not found: [${name}] of the group '${group.name}'.`);
    return '<LifecycleHooks/>';
  },
});
