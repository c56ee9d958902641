import { isFault, ProviderFault } from '../../fault.ts';
import type { Demand } from '../decide/aims.ts';
import type { Holding } from '../hold/holding.ts';
import { connect, defaultAgainMs, permitOf, type Absorb, type Tools } from './tools.ts';
import { msUntil } from '../ms-until.ts';

/** Tells a handle what shall be. */
export async function release({ attempt, aim }: Demand, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  const again = (ms: number) => void holding.release_at.set(attempt.attempt, tools.monotonic() + ms);
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  if (!api || attempt.handle === undefined) {
    again(defaultAgainMs);
    return () => undefined;
  }
  try {
    const progress = await api.release(attempt.handle, aim, permitOf(holding, tools));
    if (!progress.done) {
      again(progress.again_ms ?? defaultAgainMs);
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
    // A release is absolute: whatever became of this one, the next says the same again.
    again(error.retry_after_ms ?? defaultAgainMs);
    return (draft) =>
      draft.setRequest({ message: `Giving machines back to '${attempt.provider_instance}' does not succeed yet: ${error.message}` });
  }
}
