import { activityStatus } from '../../groups/activities.ts';
import type { Activity } from '../../state/groups.ts';
import { leaf, timestamp } from './xml.ts';

/** One activity of a group. `gone`: the group is deleted. */
export function activityXml(activity: Activity, now: number, gone = false): string {
  const { status, progress, endedAt } = activityStatus(activity, now);
  const { group, failure } = activity;
  return (
    leaf('ActivityId', activity.id) +
    leaf('AutoScalingGroupName', group.name) +
    leaf('Description', activity.description) +
    leaf('Cause', activity.cause) +
    timestamp('StartTime', activity.startedAt) +
    (endedAt === undefined ? '' : timestamp('EndTime', endedAt)) +
    leaf('StatusCode', status) +
    (failure !== undefined && failure.at <= now ? leaf('StatusMessage', failure.message) : '') +
    leaf('Progress', progress) +
    leaf('Details', activity.details) +
    (gone ? leaf('AutoScalingGroupState', 'Deleted') : '') +
    leaf('AutoScalingGroupARN', group.arn)
  );
}
