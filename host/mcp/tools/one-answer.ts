import { AsyncLocalStorage } from 'node:async_hooks';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { answerBytes, weightOf } from '../../../core/requests/queries/answer-budget.ts';
import { protocolError } from './protocol-error.ts';

/** Messages that came in one HTTP call are answered in one answer, which is held until the last of them is done. */
interface Answer {
  bytes: number;
  last: Promise<unknown>;
}

const answers = new AsyncLocalStorage<Answer>();

/** Runs what serves one HTTP call. */
export const inOneAnswer = <T>(serve: () => T): T => answers.run({ bytes: 0, last: Promise.resolve() }, serve);

/**
 * Does what a message asks for after the messages that came with it, and refuses to once the answers to those are as
 * large as one answer may be. A message that came alone, or over stdio, is answered whatever its size. /
 */
export function withinAnswer<T>(work: () => Promise<T>): Promise<T> {
  const answer = answers.getStore();
  if (!answer) return work();
  const done = answer.last.then(async () => {
    if (answer.bytes > answerBytes)
      throw protocolError(
        ErrorCode.InvalidRequest,
        'Nothing was done: the answers to the messages before it are too large together; send it by itself.',
      );
    const result = await work();
    answer.bytes += weightOf(result);
    return result;
  });
  answer.last = done.catch(() => undefined);
  return done;
}
