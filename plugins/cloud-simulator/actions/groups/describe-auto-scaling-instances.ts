import type { Group, GroupMember } from '../../state/groups.ts';
import { cutPage, groupPage } from '../../wire/group-pages.ts';
import { memberDetailsXml } from '../../wire/xml/group-xml.ts';
import { memberSet, memberTexts } from '../../wire/members.ts';
import { validationError } from '../../groups/refusals.ts';
import { groupAction } from './group-action.ts';

const maxIds = 50;

/** Shows machines of groups; ids of other machines are ignored. */
export const describeAutoScalingInstances = groupAction({
  name: 'DescribeAutoScalingInstances',
  mutating: false,
  handle(call) {
    const page = groupPage(call, { usual: 50, max: 50, about: ['InstanceIds'] });
    const ids = new Set(memberTexts(call.params, 'InstanceIds'));
    if (ids.size > maxIds) throw validationError(`You can describe at most ${maxIds} instances in one call.`);
    const rows = [...call.state.groups.byName.values()]
      .flatMap((group) => membersOf(group, ids))
      .toSorted((a, b) => a.member.instance.place - b.member.instance.place);
    const { entries, tokenXml } = cutPage(rows, (row) => row.member.instance.place, page);
    return (
      memberSet('AutoScalingInstances', entries, (row) => memberDetailsXml(row.group, row.member, call.now)) + tokenXml
    );
  },
});

function membersOf(group: Group, ids: ReadonlySet<string>): { group: Group; member: GroupMember }[] {
  const members = ids.size === 0 ? [...group.members.values()] : [...ids].flatMap((id) => group.members.get(id) ?? []);
  return members.map((member) => ({ group, member }));
}
