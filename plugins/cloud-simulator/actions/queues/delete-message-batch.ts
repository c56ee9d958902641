import { AwsError } from '../../wire/errors.ts';
import { parts, text } from '../../wire/form.ts';
import { queueAction, queueOf } from './queue-action.ts';

const mostEntries = 10;

/** SQS: deletes up to ten received messages. Each entry succeeds or fails for itself. */
export const deleteMessageBatch = queueAction('DeleteMessageBatch', true, (call) => {
  const queue = queueOf(call);
  const entries = parts(call.params, 'Entries').map((entry) => ({
    Id: text(entry, 'Id') ?? '',
    handle: text(entry, 'ReceiptHandle') ?? '',
  }));
  if (entries.length === 0) throw new AwsError('EmptyBatchRequest', 'The batch request has no entries.');
  if (entries.length > mostEntries)
    throw new AwsError(
      'TooManyEntriesInBatchRequest',
      `A batch has at most ${mostEntries} entries; this one has ${entries.length}.`,
    );
  const wrong = entries.find(({ Id }) => !/^[\w-]{1,80}$/.test(Id));
  if (wrong) throw new AwsError('InvalidBatchEntryId', `The id "${wrong.Id}" of a batch entry is not valid.`);
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length)
    throw new AwsError('BatchEntryIdsNotDistinct', 'Two entries of the batch have the same id.');
  const done = entries.map(({ Id, handle }) => ({ Id, deleted: queue.delete(handle) }));
  return {
    Successful: done.flatMap(({ Id, deleted }) => (deleted ? [{ Id }] : [])),
    Failed: done.flatMap(({ Id, deleted }) =>
      deleted
        ? []
        : [{ Id, SenderFault: true, Code: 'ReceiptHandleIsInvalid', Message: 'The receipt handle is not valid.' }],
    ),
  };
});
