import type { CallContext } from '../state/call-context.ts';
import type { ScheduledEvent } from '../state/instances/health.ts';
import { type Instance, isLive, type StateName } from '../state/instances/instance.ts';
import { post, queuesOf } from './post.ts';

const arnOf = ({ state }: CallContext, { id }: Instance): string =>
  `arn:aws:ec2:${state.region}:${state.account}:instance/${id}`;

/** Posts that a machine changed its state. */
export function postState(context: CallContext, instance: Instance, state: StateName): void {
  post(context, {
    type: 'EC2 Instance State-change Notification',
    source: 'aws.ec2',
    resources: [arnOf(context, instance)],
    detail: { 'instance-id': instance.id, state },
  });
}

/** Posts the launch of a machine, and plans the message of its start. */
export function postLaunch(context: CallContext, instance: Instance): void {
  if (queuesOf(context).length === 0) return;
  postState(context, instance, 'pending');
  if (Number.isFinite(instance.runningAt))
    context.state.timers.plan(instance.runningAt, (then) => {
      if (isLive(instance, then.now)) postState(then, instance, 'running');
    });
}

/** Posts the two-minute warning of a Spot machine. */
export function postInterruption(context: CallContext, instance: Instance): void {
  post(context, {
    type: 'EC2 Spot Instance Interruption Warning',
    source: 'aws.ec2',
    resources: [arnOf(context, instance)],
    detail: { 'instance-id': instance.id, 'instance-action': 'terminate' },
  });
}

/** Posts that a Spot machine runs at a higher risk of interruption. */
export function postRebalance(context: CallContext, instance: Instance): void {
  post(context, {
    type: 'EC2 Instance Rebalance Recommendation',
    source: 'aws.ec2',
    resources: [arnOf(context, instance)],
    detail: { 'instance-id': instance.id },
  });
}

const healthCodes: Readonly<Record<ScheduledEvent['code'], string>> = {
  'instance-reboot': 'AWS_EC2_INSTANCE_REBOOT_MAINTENANCE_SCHEDULED',
  'system-reboot': 'AWS_EC2_SYSTEM_REBOOT_MAINTENANCE_SCHEDULED',
  'system-maintenance': 'AWS_EC2_SYSTEM_MAINTENANCE_EVENT',
  'instance-retirement': 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
  'instance-stop': 'AWS_EC2_INSTANCE_STOP_SCHEDULED',
};

/** Posts a scheduled change of a machine, in the envelope of AWS Health. */
export function postScheduledChange(context: CallContext, instance: Instance, event: ScheduledEvent): void {
  const { region, account } = context.state;
  const code = healthCodes[event.code];
  post(context, {
    type: 'AWS Health Event',
    source: 'aws.health',
    resources: [instance.id],
    detail: {
      eventArn: `arn:aws:health:${region}::event/EC2/${code}/${code}_${event.id}`,
      service: 'EC2',
      eventTypeCode: code,
      eventTypeCategory: 'scheduledChange',
      eventScopeCode: 'ACCOUNT_SPECIFIC',
      communicationId: event.id,
      startTime: new Date(event.notBefore).toUTCString(),
      ...(event.notAfter === undefined ? {} : { endTime: new Date(event.notAfter).toUTCString() }),
      statusCode: 'upcoming',
      eventRegion: region,
      eventDescription: [{ language: 'en_US', latestDescription: event.description }],
      affectedEntities: [{ entityValue: instance.id, status: 'PENDING' }],
      affectedAccount: account,
    },
  });
}
