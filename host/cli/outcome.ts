import type { RequestAnswer } from '../../core/contract/answers.ts';
import { exitCodes } from './exit-codes.ts';

const ends: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

export const hasEnded = ({ status }: Pick<RequestAnswer, 'status'>): boolean => ends.has(status);

/**
 * Returns the exit code for the state of a request. `cancelling`: the command cancels the request, so cancellation is
 * success.
 */
export function outcomeOf(
  { status, fulfilment }: Pick<RequestAnswer, 'status' | 'fulfilment'>,
  cancelling = false,
): number {
  if (status === 'cancelled') return cancelling ? exitCodes.done : exitCodes.failed;
  if (status !== 'completed') return exitCodes.failed;
  return fulfilment && fulfilment.delivered < fulfilment.requested ? exitCodes.short : exitCodes.done;
}
