import { queuesOf } from '../../queues/post.ts';
import { invalidParameter } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { queueAction, urlOf } from './queue-action.ts';

/** SQS: creates a standard queue, or returns the one of that name. Attributes have no effect. */
export const createQueue = queueAction('CreateQueue', true, (call) => {
  const name = text(call.params, 'QueueName') ?? '';
  if (!/^[\w-]{1,80}$/.test(name))
    throw invalidParameter(
      'The name of a standard queue has 1 to 80 letters, digits, hyphens and underscores; the simulated cloud has no others.',
    );
  queuesOf(call);
  const queue = call.state.queues.create(name, call.now);
  call.touched.push(name);
  return { QueueUrl: urlOf(call, queue) };
});
