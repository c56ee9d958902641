import type { Received } from '../../queues/queue.ts';
import { texts } from '../../wire/form.ts';
import { numberOf, queueAction, queueOf } from './queue-action.ts';

/**
 * SQS: delivers up to ten messages. With `WaitTimeSeconds` an empty answer waits for a message, in the computer's
 * time.
 */
export const receiveMessage = queueAction('ReceiveMessage', false, (call) => {
  const queue = queueOf(call);
  const { state, params } = call;
  const most = numberOf(call, 'MaxNumberOfMessages', 1, 10) ?? 1;
  const waitS = numberOf(call, 'WaitTimeSeconds', 0, 20) ?? 0;
  const hiddenS = numberOf(call, 'VisibilityTimeout', 0, 43_200);
  const names = [...texts(params, 'MessageSystemAttributeNames'), ...texts(params, 'AttributeNames')];
  const receive = (now: number): object | undefined => {
    const received = queue.receive(most, now, hiddenS === undefined ? undefined : hiddenS * 1000);
    return received.length === 0 ? undefined : { Messages: received.map((each) => shown(each, names)) };
  };
  const found = receive(call.now);
  if (found === undefined && waitS > 0)
    call.later.push({
      ms: waitS * 1000,
      answer(now) {
        state.timers.settle(now);
        const late = receive(now);
        return late === undefined ? undefined : JSON.stringify(late);
      },
    });
  return found;
});

function shown({ id, body, md5, sentAt, receives, firstReceivedAt, handle }: Received, names: readonly string[]) {
  const all = {
    SenderId: 'AIDAIENQZJOLO23YVJ4VO',
    SentTimestamp: String(sentAt),
    ApproximateReceiveCount: String(receives),
    ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
  };
  const wanted = Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name));
  return {
    MessageId: id,
    ReceiptHandle: handle,
    MD5OfBody: md5,
    Body: body,
    ...(wanted.length === 0 ? {} : { Attributes: Object.fromEntries(wanted) }),
  };
}
