import { isFault, ProviderFault } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { expired, found, missed, searchFailed } from '../attempt.ts';
import type { Draft } from '../case.ts';
import type { Holding } from '../hold/holding.ts';
import type { Settings } from '../settings.ts';
import { connect, orderOf, permitOf, type Absorb, type Tools } from './tools.ts';

/** A token that is too old proves nothing any more: only the tags can tell what the order started. */
export async function find(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<readonly Absorb[]> {
  const connected = await connect(attempt.provider_instance, tools);
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  const inVain: Absorb = (draft) => nextLook(draft, attempt, tools.settings);
  if (connected instanceof ProviderFault) return [postponed(attempt, connected.message)];
  if (!api?.find) return [inVain];
  try {
    const handle = await api.find(orderOf(attempt, attempt.prepared?.value), permitOf(holding, tools));
    // Found is not stopped: it may be a fleet that goes on. What it has is released as late, and it is told that nothing more may come.
    return [handle ? (draft) => draft.moveAttempt(attempt.attempt, (each) => found(each, handle)) : inVain];
  } catch (error) {
    if (!isFault(error)) throw error;
    return [postponed(attempt, error.message)];
  }
}

/** The search itself failed: that says nothing of what there is. */
const postponed =
  ({ attempt }: AttemptRecord, message: string): Absorb =>
  (draft) =>
    draft.moveAttempt(attempt, (each) => searchFailed(each, draft.now + 30_000, message));

/** The token is too old for a replay: from now on it is only looked for. */
export function giveUp(draft: Draft, attempt: AttemptRecord, settings: Settings): void {
  draft.moveAttempt(attempt.attempt, (each) => expired(each, draft.now + (settings.lost_looks_ms[0] ?? 0)));
  draft.journal('attempt.lost', { attempt: attempt.attempt, provider_instance: attempt.provider_instance });
  draft.setRequest({ message: `What an order to '${attempt.provider_instance}' started is not known; looking for it by its tags.` });
}

function nextLook(draft: Draft, attempt: AttemptRecord, settings: Settings): void {
  const next = settings.lost_looks_ms[(attempt.looks ?? 0) + 1];
  draft.moveAttempt(attempt.attempt, (each) => missed(each, next === undefined ? undefined : draft.now + next));
}
