import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { isTerminal } from '../../model/request.ts';
import { asMoved, followWith } from '../clock-shift/shift-times.ts';
import { bounded } from '../state/attempt.ts';
import { isRecorded, withCloudRequests, withOutcomes } from '../state/outcomes.ts';
import { repeatDue, type PendingRelease } from '../plan/pending-releases.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import { inSlices } from './slices.ts';
import { connect, defaultAgainMs, permitOf, type Apply, type StepContext } from './step-context.ts';

/** Sends a release target to the provider. */
export async function release(
  { attempt, target, lost_seen }: PendingRelease,
  claimed: ClaimedRequest,
  context: StepContext,
): Promise<readonly Apply[]> {
  const connected = await connect(attempt.provider_instance, attempt.order.template, context);
  const again = (ms: number) => void claimed.release_at.set(attempt.attempt, context.monotonic() + ms);
  const api = connected instanceof ProviderFault ? undefined : connected.api(attempt.api);
  if (!api || attempt.handle === undefined) {
    again(defaultAgainMs);
    return [];
  }
  const ids: string[] = [];
  try {
    const { request, machines } = claimed.state;
    const { provider_instance } = attempt;
    const going = target.go.flatMap(({ machine_id }) => machines.get({ provider_instance, machine_id }) ?? []);
    const trace = context.spans.on ? await context.spans.ofRelease(request, attempt, going) : null;
    const progress = await api.release(attempt.handle, target, permitOf(claimed, context, ids, trace));
    if (!progress.done) {
      again(progress.again_ms ?? defaultAgainMs);
      return [];
    }
    claimed.release_at.delete(attempt.attempt);
    if (repeatDue(claimed.state, claimed.now())) claimed.repeated.add(attempt.attempt);
    return inSlices(
      target.go,
      (change, slice) => {
        for (const { machine_id } of slice) {
          const key = { provider_instance, machine_id };
          const machine = change.machine(key);
          if (machine?.released_at !== undefined) continue;
          if (machine) followWith(change, machine);
          change.setMachine(key, { released_at: change.now, ...asMoved(change) });
        }
      },
      (change) => {
        change.moveAttempt(attempt.attempt, (each) => bounded(each, target.incoming, lost_seen));
        change.noteAttempt(attempt.attempt, (each) => withCloudRequests(each, ids));
      },
    );
  } catch (error) {
    if (!isFault(error)) throw error;
    // A release is absolute, so the next call repeats it whatever the effect of this one was.
    again(error.retry_after_ms ?? defaultAgainMs);
    const message = `Releasing machines of '${attempt.provider_instance}' has not succeeded yet: ${error.message}`;
    return [
      (change) => {
        // The message of a request that ended says how it ended. The return that asks for the release tells the rest.
        if (!isTerminal(change.request.status)) change.setRequest({ message });
        const noted = (each: AttemptRecord) => withCloudRequests(withOutcomes(each, [error], change.now), ids);
        // The return reads it. A refusal that is repeated each second is not stored each second.
        if (isRecorded(attempt, error, change.now)) change.noteAttempt(attempt.attempt, noted);
        else change.moveAttempt(attempt.attempt, noted);
      },
    ];
  }
}
