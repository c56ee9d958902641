import type { Group, GroupTag } from '../../state/groups.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { cutPage, filterParams, groupPage } from '../../wire/group-pages.ts';
import { groupTagXml } from '../../wire/xml/group-xml.ts';
import { memberSet } from '../../wire/members.ts';
import { groupAction } from './group-action.ts';

interface Row {
  readonly group: Group;
  readonly key: string;
  readonly tag: GroupTag;
  readonly place: number;
}

const fields: FilterFields<Row> = {
  'auto-scaling-group': (row) => row.group.name,
  key: (row) => row.key,
  value: (row) => row.tag.value,
  'propagate-at-launch': (row) => String(row.tag.propagate),
};

/** Shows the tags of groups, one row for each. */
export const describeGroupTags = groupAction({
  name: 'DescribeTags',
  mutating: false,
  handle(call) {
    const page = groupPage(call, { usual: 50, max: 100, about: ['Filters'] });
    const filters = readFilters(filterParams(call.params), fields, false);
    const rows = [...call.state.groups.byName.values()].flatMap((group) =>
      [...group.tags].map(([key, tag], index): Row => ({ group, key, tag, place: group.place * 100 + index })),
    );
    const { entries, tokenXml } = cutPage(
      rows.filter((row) => passes(row, filters, fields)),
      (row) => row.place,
      page,
    );
    return memberSet('Tags', entries, (row) => groupTagXml(row.group, row.key, row.tag)) + tokenXml;
  },
});
