import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { disposed } from '../state/attempt.ts';
import { withCloudRequests } from '../state/outcomes.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import { connect, defaultAgainMs, orderOf, permitOf, type Apply, type StepContext } from './step-context.ts';

/** Removes everything that the provider keeps for an attempt without machines. */
export async function dispose(
  attempt: AttemptRecord,
  claimed: ClaimedRequest,
  context: StepContext,
): Promise<readonly Apply[]> {
  const connected = await connect(attempt.provider_instance, attempt.order.template, context);
  const again = (ms: number) => void claimed.dispose_at.set(attempt.attempt, context.monotonic() + ms);
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  if (!api) {
    again(30_000);
    return [];
  }
  const left = {
    order: orderOf(attempt, attempt.prepared?.value),
    ...(attempt.handle === undefined ? {} : { handle: attempt.handle }),
  };
  const ids: string[] = [];
  try {
    const progress = (await api.dispose?.(
      left,
      permitOf(claimed, context, ids, context.spans.ofAttempt(claimed.state.request, attempt)),
    )) ?? { done: true };
    if (progress.done)
      return [(change) => change.moveAttempt(attempt.attempt, (each) => withCloudRequests(disposed(each), ids))];
    again(progress.again_ms ?? defaultAgainMs);
  } catch (error) {
    if (!isFault(error)) throw error;
    again(error.retry_after_ms ?? 30_000);
    context.log.warn({ request_id: attempt.request_id, attempt: attempt.attempt, code: error.code }, error.message);
  }
  return [];
}
