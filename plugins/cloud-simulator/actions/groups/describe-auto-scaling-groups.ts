import type { Group } from '../../state/groups.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { cutPage, filterParams, groupPage } from '../../wire/group-pages.ts';
import { groupXml } from '../../wire/xml/group-xml.ts';
import { memberSet, memberTexts } from '../../wire/members.ts';
import { groupAction } from './group-action.ts';

const fields: FilterFields<Group> = { 'tag-value': (group) => [...group.tags.values()].map((tag) => tag.value) };

/** Shows groups, including those that are being deleted. Unknown names are ignored. */
export const describeAutoScalingGroups = groupAction({
  name: 'DescribeAutoScalingGroups',
  mutating: false,
  handle(call) {
    const { params, state, now } = call;
    const page = groupPage(call, { usual: 50, max: 100, about: ['AutoScalingGroupNames', 'Filters'] });
    const filters = readFilters(filterParams(params), fields, true);
    const names = new Set(memberTexts(params, 'AutoScalingGroupNames'));
    const groups = [...state.groups.byName.values()].filter(
      (group) =>
        (names.size === 0 || names.has(group.name)) &&
        passes(group, filters, fields, ({ tags }) => new Map([...tags].map(([key, tag]) => [key, tag.value]))),
    );
    const { entries, tokenXml } = cutPage(groups, (group) => group.place, page);
    return memberSet('AutoScalingGroups', entries, (group) => groupXml(group, now)) + tokenXml;
  },
});
