import { isFault, ProviderFault } from '../../fault.ts';
import { progress as progressAnswer } from '../../providers/contract/answers.ts';
import { boundedWait } from '../../providers/contract/sound-fault.ts';
import { guard } from '../../providers/guard.ts';
import type { Demand } from '../decide/aims.ts';
import type { Holding } from '../hold/holding.ts';
import { aboutCall, connect, defaultAgainMs, type Absorb, type Tools } from './tools.ts';
import { msUntil } from '../ms-until.ts';

const releaseMs = 120_000;

/** Tells a handle what shall be. */
export async function release({ attempt, aim }: Demand, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  const api = tools.api(attempt);
  const again = (ms: number) => void holding.release_at.set(attempt.attempt, tools.monotonic() + ms);
  if (connected instanceof ProviderFault || !api || attempt.handle === undefined) {
    again(defaultAgainMs);
    return () => undefined;
  }
  const about = aboutCall(holding, tools, attempt, 'release');
  try {
    const progress = await guard(
      { ...about, what: `release at ${about.where}`, mutating: true, timeout_ms: releaseMs },
      async (call) => api.release(connected.session, attempt.handle, aim, call),
      progressAnswer,
    );
    tools.up(attempt.provider_instance);
    if (!progress.done) {
      again(boundedWait(progress.again_ms ?? defaultAgainMs));
      return () => undefined;
    }
    holding.release_at.delete(attempt.attempt);
    return (draft) => {
      for (const { machine_id } of aim.go) {
        const key = { provider_instance: attempt.provider_instance, machine_id };
        if (draft.machine(key)?.released_at === undefined) draft.setMachine(key, { released_at: draft.now });
      }
      // What was lost while this was on its way the provider was told to keep.
      const lostMeanwhile = aim.stay.some(
        ({ machine_id }) => draft.machine({ provider_instance: attempt.provider_instance, machine_id })?.lost === true,
      );
      draft.setAttempt(attempt.attempt, { to_come: aim.to_come, reopened: lostMeanwhile });
      if ((draft.request.repeat_release_at ?? 0) > 0 && msUntil(draft.request.repeat_release_at, draft.now) === 0)
        draft.setRequest({ repeat_release_at: 0 });
    };
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.kind === 'credentials') tools.down(attempt.provider_instance, error.message);
    // A release is absolute: whatever became of this one, the next says the same again.
    again(error.retry_after_ms ?? defaultAgainMs);
    return (draft) =>
      draft.setRequest({ message: `Giving machines back to '${attempt.provider_instance}' does not succeed yet: ${error.message}` });
  }
}
