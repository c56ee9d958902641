import { isFault, ProviderFault } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Progress } from '../../provider.ts';
import { progress as progressAnswer } from '../../providers/contract/answers.ts';
import { boundedWait } from '../../providers/contract/sound-fault.ts';
import { guard } from '../../providers/guard.ts';
import type { Holding } from '../hold/holding.ts';
import { aboutCall, connect, defaultAgainMs, orderOf, type Absorb, type Tools } from './tools.ts';

const disposeMs = 60_000;

/** Removes what the provider keeps for an attempt without machines. */
export async function dispose(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  const api = tools.api(attempt);
  const again = (ms: number) => void holding.dispose_at.set(attempt.attempt, tools.monotonic() + ms);
  if (connected instanceof ProviderFault || !api) {
    again(30_000);
    return () => undefined;
  }
  const about = aboutCall(holding, tools, attempt, 'dispose');
  const left = { order: orderOf(attempt, attempt.prepared?.value), ...(attempt.handle === undefined ? {} : { handle: attempt.handle }) };
  try {
    const progress = await guard(
      { ...about, what: `clean-up at ${about.where}`, mutating: true, timeout_ms: disposeMs },
      async (call): Promise<Progress> => (api.dispose ? api.dispose(connected.session, left, call) : { done: true }),
      progressAnswer,
    );
    if (progress.done) return (draft) => draft.setAttempt(attempt.attempt, { disposed: true });
    again(boundedWait(progress.again_ms ?? defaultAgainMs));
  } catch (error) {
    if (!isFault(error)) throw error;
    again(error.retry_after_ms ?? 30_000);
    tools.log.warn({ request_id: attempt.request_id, attempt: attempt.attempt, code: error.code }, error.message);
  }
  return () => undefined;
}
