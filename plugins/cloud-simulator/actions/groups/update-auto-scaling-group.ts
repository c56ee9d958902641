import { readGroupConfig } from '../../groups/group-config.ts';
import { changed } from '../../groups/reconcile.ts';
import { changeSizes } from '../../groups/sizes.ts';
import { integer } from '../../wire/values.ts';
import { groupAction, openGroup } from './group-action.ts';

/**
 * Changes the named settings of a group. If the call names no desired capacity, the old one is limited to the new
 * bounds.
 */
export const updateAutoScalingGroup = groupAction({
  name: 'UpdateAutoScalingGroup',
  mutating: true,
  handle(call) {
    const { params } = call;
    const group = openGroup(call);
    const sizes = changeSizes(
      { min: group.config.min, max: group.config.max, desired: group.desired },
      {
        min: integer(params, 'MinSize'),
        max: integer(params, 'MaxSize'),
        desired: integer(params, 'DesiredCapacity'),
      },
    );
    group.config = readGroupConfig(call, params, sizes, group.config);
    group.desired = sizes.desired;
    call.touched.push(group.name);
    changed(call, group);
    return '';
  },
});
