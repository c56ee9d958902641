import { readGroupConfig } from '../../groups/group-config.ts';
import { changed } from '../../groups/react.ts';
import { changeSizes } from '../../groups/sizes.ts';
import { integer } from '../../wire/values.ts';
import { groupAction, openGroup } from './group-action.ts';

/** Changes what is named of a group. A desired capacity that is not named is pulled into new bounds. */
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
