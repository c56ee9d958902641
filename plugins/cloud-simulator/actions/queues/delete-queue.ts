import { queueAction, queueOf } from './queue-action.ts';

/** SQS: deletes a queue with its messages. A queue of the knob `queues` comes back empty. */
export const deleteQueue = queueAction('DeleteQueue', true, (call) => {
  const { name } = queueOf(call);
  call.state.queues.delete(name);
  call.touched.push(name);
  return undefined;
});
