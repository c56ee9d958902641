import { md5Of } from '../../queues/queue.ts';
import { missingParameter } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { queueAction, queueOf } from './queue-action.ts';

/** SQS: sends a message to a queue, as any program may beside EventBridge. */
export const sendMessage = queueAction('SendMessage', true, (call) => {
  const queue = queueOf(call);
  const body = text(call.params, 'MessageBody');
  if (!body) throw missingParameter('MessageBody');
  return { MessageId: queue.send(body, call.now, call.random), MD5OfMessageBody: md5Of(body) };
});
