import { AwsError } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { queueAction, queueOf } from './queue-action.ts';

/** SQS: deletes a received message. */
export const deleteMessage = queueAction('DeleteMessage', true, (call) => {
  const handle = text(call.params, 'ReceiptHandle') ?? '';
  if (!queueOf(call).delete(handle))
    throw new AwsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
    );
  return undefined;
});
