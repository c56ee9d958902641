import { AwsError } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { queueAction, queueOf } from './queue-action.ts';

/** SQS: attributes of a queue, all with the name `All`. */
export const getQueueAttributes = queueAction('GetQueueAttributes', false, (call) => {
  const queue = queueOf(call);
  const { state, now } = call;
  const { visible, hidden } = queue.counts(now);
  const created = String(Math.floor(queue.createdAt / 1000));
  const all: Readonly<Record<string, string>> = {
    QueueArn: `arn:aws:sqs:${state.region}:${state.account}:${queue.name}`,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(hidden),
    ApproximateNumberOfMessagesDelayed: '0',
    CreatedTimestamp: created,
    LastModifiedTimestamp: created,
    VisibilityTimeout: '30',
    MaximumMessageSize: '262144',
    MessageRetentionPeriod: '345600',
    DelaySeconds: '0',
    ReceiveMessageWaitTimeSeconds: '0',
  };
  const names = texts(call.params, 'AttributeNames');
  const unknown = names.find((name) => name !== 'All' && all[name] === undefined);
  if (unknown !== undefined) throw new AwsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  if (names.length === 0) return {};
  return {
    Attributes: Object.fromEntries(
      Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name)),
    ),
  };
});
