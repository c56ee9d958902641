import { readGroupTags } from '../../groups/group-tags.ts';
import { validationError } from '../../groups/refusals.ts';
import type { Group, GroupTag } from '../../state/groups.ts';
import { memberParts } from '../../wire/members.ts';
import { oneOf, required } from '../../wire/values.ts';
import { groupAction } from './group-action.ts';

/** Adds or changes tags of groups: of all named groups, or of none. The tags of running machines do not change. */
export const createOrUpdateTags = groupAction({
  name: 'CreateOrUpdateTags',
  mutating: true,
  handle(call) {
    const entries = memberParts(call.params, 'Tags');
    if (entries.length === 0) throw validationError('At least one tag must be specified.');
    const byGroup = Map.groupBy(entries, (entry) => {
      oneOf(entry, 'ResourceType', ['auto-scaling-group']);
      const name = required(entry, 'ResourceId');
      const group = call.state.groups.byName.get(name);
      if (group === undefined)
        throw validationError(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`);
      return group;
    });
    const changes: [Group, Map<string, GroupTag>][] = [...byGroup].map(([group, own]) => [
      group,
      readGroupTags(own, group.tags),
    ]);
    for (const [group, tags] of changes) {
      for (const [key, tag] of tags) group.tags.set(key, tag);
      call.touched.push(group.name);
    }
    return '';
  },
});
