import { isFault, ProviderFault } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Draft } from '../case.ts';
import type { Holding } from '../hold/holding.ts';
import type { Settings } from '../settings.ts';
import { connect, orderOf, permitOf, type Absorb, type Tools } from './tools.ts';

/** A token that is too old proves nothing any more: only the tags can tell what the order started. */
export async function find(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  if (!api?.find) return (draft) => nextLook(draft, attempt, tools.settings);
  try {
    const handle = await api.find(orderOf(attempt, attempt.prepared?.value), permitOf(holding, tools));
    // Found is not stopped: it may be a fleet that goes on. What it has is released as late, and it is told that nothing more may come.
    return (draft) => (handle ? draft.setAttempt(attempt.attempt, { handle }) : nextLook(draft, attempt, tools.settings));
  } catch (error) {
    if (!isFault(error)) throw error;
    return (draft) => draft.setAttempt(attempt.attempt, { retry_at: draft.now + 30_000, message: error.message });
  }
}

/** The token is too old for a replay: from now on it is only looked for. */
export function giveUp(draft: Draft, attempt: AttemptRecord, settings: Settings): void {
  draft.setAttempt(attempt.attempt, { state: 'lost', looks: 0, retry_at: draft.now + (settings.lost_looks_ms[0] ?? 0) });
  draft.journal('attempt.lost', { attempt: attempt.attempt, provider_instance: attempt.provider_instance });
  draft.setRequest({ message: `What an order to '${attempt.provider_instance}' started is not known; looking for it by its tags.` });
}

function nextLook(draft: Draft, attempt: AttemptRecord, settings: Settings): void {
  const looks = (attempt.looks ?? 0) + 1;
  const next = settings.lost_looks_ms[looks];
  if (next === undefined) draft.setAttempt(attempt.attempt, { looks, settled: true, message: 'Nothing was ever seen of it.' });
  else draft.setAttempt(attempt.attempt, { looks, retry_at: draft.now + next });
}
