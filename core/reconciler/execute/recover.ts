import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { found, missed, searchFailed } from '../state/attempt.ts';
import { withCloudRequests, withOutcomes } from '../state/outcomes.ts';
import type { StateChange } from '../state/request-state.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { Settings } from '../settings.ts';
import { connect, orderOf, permitOf, type Apply, type StepContext } from './step-context.ts';

/** Searches an order whose token is too old for a replay: only tags can show what it started. */
export async function recover(
  attempt: AttemptRecord,
  claimed: ClaimedRequest,
  context: StepContext,
): Promise<readonly Apply[]> {
  const connected = await connect(attempt.provider_instance, attempt.order.template, context);
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  const notFound: Apply = (change) => missedSearch(change, attempt, context.settings);
  if (connected instanceof ProviderFault) return [postponed(attempt, connected, [])];
  if (!api?.find) return [notFound];
  const ids: string[] = [];
  try {
    const handle = await api.find(
      orderOf(attempt, attempt.prepared?.value),
      permitOf(claimed, context, ids, context.spans.ofAttempt(claimed.state.request, attempt)),
    );
    // A found attempt may be a fleet that still starts machines. Its machines are released as late, and its arrivals
    // stopped.
    return [handle ? (change) => change.moveAttempt(attempt.attempt, (each) => found(each, handle)) : notFound];
  } catch (error) {
    if (!isFault(error)) throw error;
    return [postponed(attempt, error, ids)];
  }
}

/** A failed search says nothing about the machines. */
const postponed =
  ({ attempt }: AttemptRecord, fault: ProviderFault, ids: readonly string[]): Apply =>
  (change) =>
    change.moveAttempt(attempt, (each) =>
      withCloudRequests(
        withOutcomes(searchFailed(each, change.now + 30_000, fault.message), [fault], change.now),
        ids,
      ),
    );

function missedSearch(change: StateChange, attempt: AttemptRecord, settings: Settings): void {
  const next = settings.recover_after_ms[(attempt.searches ?? 0) + 1];
  change.moveAttempt(attempt.attempt, (each) => missed(each, next === undefined ? undefined : change.now + next));
}
