import type { RequestAnswer } from '../../../core/contract/answers.ts';
import type { OperationClient } from '../../client/server-client.ts';
import { hasEnded } from '../outcome.ts';

/** What an open request waits for, and until when that may change by itself. */
interface Wait {
  readonly waiting_for: { readonly what: string; readonly until: string | null } | null;
}

/**
 * Adds to the status of an open request what it waits for, and when the next try is. Programs that poll the status do
 * not pay for that: they ask with `explain_request` when they want to know.
 */
export async function withWait(client: OperationClient, operation: string, answer: unknown): Promise<unknown> {
  if (operation !== 'sync_and_get_request') return answer;
  const request = answer as RequestAnswer;
  if (hasEnded(request)) return answer;
  // The status is read already: it is shown also when a server of an earlier version cannot explain it.
  const found = (await client.call('explain_request', { request_id: request.request_id }).catch(() => undefined)) as
    | Wait
    | undefined;
  return found ? { ...request, waiting_for: found.waiting_for } : request;
}
