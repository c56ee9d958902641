import { AsyncLocalStorage } from 'node:async_hooks';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { answerBytes, weightOf } from '../../../core/requests/queries/answer-budget.ts';
import { protocolError } from './protocol-error.ts';

/** The messages of one HTTP call, which get one answer that is held until the last message is done. */
interface Batch {
  bytes: number;
  last: Promise<unknown>;
}

const batches = new AsyncLocalStorage<Batch>();

/** Runs the serving of one HTTP call as a batch. */
export const asOneBatch = <T>(serve: () => T): T => batches.run({ bytes: 0, last: Promise.resolve() }, serve);

/**
 * Processes a message after the earlier messages of its batch, and refuses it when their answers are already as large
 * as one answer may be. A single message, or one over stdio, is answered at any size.
 */
export function inBatchOrder<T>(work: () => Promise<T>): Promise<T> {
  const batch = batches.getStore();
  if (!batch) return work();
  const done = batch.last.then(async () => {
    if (batch.bytes > answerBytes)
      throw protocolError(
        ErrorCode.InvalidRequest,
        'Nothing was done: the answers to the earlier messages of this call are too large together; send this message alone.',
      );
    const result = await work();
    batch.bytes += weightOf(result);
    return result;
  });
  batch.last = done.catch(() => undefined);
  return done;
}
