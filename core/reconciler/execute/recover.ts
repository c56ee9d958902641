import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { found, missed, searchFailed } from '../state/attempt.ts';
import type { StateChange } from '../state/request-state.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { Settings } from '../settings.ts';
import { connect, orderOf, permitOf, type Apply, type Tools } from './tools.ts';

/** A token that is too old proves nothing any more: only the tags can tell what the order started. */
export async function recover(attempt: AttemptRecord, claimed: ClaimedRequest, tools: Tools): Promise<readonly Apply[]> {
  const connected = await connect(attempt.provider_instance, attempt.order.template, tools);
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  const inVain: Apply = (change) => nextLook(change, attempt, tools.settings);
  if (connected instanceof ProviderFault) return [postponed(attempt, connected.message)];
  if (!api?.find) return [inVain];
  try {
    const handle = await api.find(orderOf(attempt, attempt.prepared?.value), permitOf(claimed, tools));
    // Found is not stopped: it may be a fleet that goes on. What it has is released as late, and it is told that nothing more may come.
    return [handle ? (change) => change.moveAttempt(attempt.attempt, (each) => found(each, handle)) : inVain];
  } catch (error) {
    if (!isFault(error)) throw error;
    return [postponed(attempt, error.message)];
  }
}

/** The search itself failed: that says nothing of what there is. */
const postponed =
  ({ attempt }: AttemptRecord, message: string): Apply =>
  (change) =>
    change.moveAttempt(attempt, (each) => searchFailed(each, change.now + 30_000, message));

function nextLook(change: StateChange, attempt: AttemptRecord, settings: Settings): void {
  const next = settings.lost_looks_ms[(attempt.looks ?? 0) + 1];
  change.moveAttempt(attempt.attempt, (each) => missed(each, next === undefined ? undefined : change.now + next));
}
