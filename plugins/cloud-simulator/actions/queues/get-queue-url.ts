import { text } from '../../wire/form.ts';
import { queueAction, queueNamed, urlOf } from './queue-action.ts';

/** SQS: the URL of a queue of the caller's account. */
export const getQueueUrl = queueAction('GetQueueUrl', false, (call) => ({
  QueueUrl: urlOf(call, queueNamed(call, text(call.params, 'QueueName') ?? '')),
}));
