import type { ActionCall } from '../../dispatch/action.ts';
import type { Activity } from '../../state/groups.ts';
import { activityXml } from '../../wire/xml/activity-xml.ts';
import { text } from '../../wire/form.ts';
import { cutPage, groupPage } from '../../wire/group-pages.ts';
import { memberSet, memberTexts } from '../../wire/members.ts';
import { flag } from '../../wire/values.ts';
import { groupAction, namedGroup } from './group-action.ts';

// Places of a page must rise, and activities are listed newest first.
const newestFirst = ({ place }: Activity) => Number.MAX_SAFE_INTEGER - place;

/** Shows the activities of groups, newest first. No other action reports failed launches. */
export const describeScalingActivities = groupAction({
  name: 'DescribeScalingActivities',
  mutating: false,
  handle(call) {
    const page = groupPage(call, {
      usual: 100,
      max: 100,
      about: ['AutoScalingGroupName', 'ActivityIds', 'IncludeDeletedGroups'],
    });
    const ids = new Set(memberTexts(call.params, 'ActivityIds'));
    const activities = activitiesOf(call)
      .filter((activity) => ids.size === 0 || ids.has(activity.id))
      .toSorted((a, b) => b.place - a.place);
    const { entries, tokenXml } = cutPage(activities, newestFirst, page);
    const gone = new Set(call.state.groups.gone);
    return (
      memberSet('Activities', entries, (activity) => activityXml(activity, call.now, gone.has(activity.group))) +
      tokenXml
    );
  },
});

function activitiesOf(call: ActionCall): Activity[] {
  const { byName, gone } = call.state.groups;
  const name = text(call.params, 'AutoScalingGroupName');
  const deleted = flag(call.params, 'IncludeDeletedGroups') ? gone : [];
  if (name === undefined) return [...byName.values(), ...deleted].flatMap((group) => group.activities);
  const known = deleted.filter((group) => group.name === name);
  const there = known.length > 0 && !byName.has(name) ? [] : [namedGroup(call)];
  return [...there, ...known].flatMap((group) => group.activities);
}
