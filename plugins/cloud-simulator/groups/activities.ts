import type { CallContext } from '../state/call-context.ts';
import type { Activity, Group } from '../state/groups.ts';
import { uuid } from '../random.ts';

/** How long activities can be read: six weeks. */
const keptMs = 6 * 7 * 86_400_000;

/** The parts of an activity that its reporter provides. */
export interface NewActivity {
  readonly description: string;
  readonly cause: string;
  readonly zone?: string;
  readonly subnetId?: string;
  /** Time of success in milliseconds of the simulator's clock; default now. */
  readonly doneAt?: number;
  readonly failure?: Activity['failure'];
}

/** Records an activity of a group. */
export function recordActivity(context: CallContext, group: Group, deed: NewActivity): Activity {
  const { now, state } = context;
  const details = {
    ...(deed.subnetId === undefined ? {} : { 'Subnet ID': deed.subnetId }),
    'Availability Zone': deed.zone,
  };
  const activity: Activity = {
    id: uuid(context.random),
    place: state.groups.nextActivity++,
    group,
    description: deed.description,
    cause: `At ${atText(now)} ${deed.cause}`,
    startedAt: now,
    details: JSON.stringify(details),
    doneAt: deed.doneAt ?? now,
    failure: deed.failure,
  };
  const { activities } = group;
  activities.push(activity);
  const old = activities.findIndex((one) => one.startedAt > now - keptMs);
  if (old > 0) activities.splice(0, old);
  return activity;
}

/** The status of an activity at a time. */
export function activityStatus(
  activity: Activity,
  now: number,
): { status: string; progress: number; endedAt: number | undefined } {
  const { failure, doneAt } = activity;
  if (failure !== undefined && failure.at <= now)
    return { status: failure.status, progress: 100, endedAt: failure.at };
  return doneAt <= now
    ? { status: 'Successful', progress: 100, endedAt: doneAt }
    : { status: 'InProgress', progress: 30, endedAt: undefined };
}

function atText(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
