import type { AttemptRecord } from '../../model/attempt.ts';
import { applyLeft, markLost } from '../apply/apply-launch.ts';
import { expire, finish, trim, undo } from '../apply/finish.ts';
import { announceEnds } from '../leases/apply-leases.ts';
import { replace } from '../replacement/replace.ts';
import { dropped } from '../state/attempt.ts';
import type { Elsewhere } from '../plan/orders/fallback-order.ts';
import type { Step } from '../plan/step.ts';
import type { StateChange } from '../state/request-state.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { CallInTurn } from './call-turns.ts';
import { dispose } from './dispose.ts';
import { recover } from './recover.ts';
import { observe, verify } from './observe.ts';
import { open } from './open.ts';
import { release } from './release.ts';
import { launch } from './launch.ts';
import type { Apply, StepContext } from './step-context.ts';

/**
 * Executes one step: at most one call to the provider, and the commits that must precede it. A call that is recalled
 * before its turn has no outcome. Rejects only with ClaimLost or a failed commit.
 */
export async function perform(step: Step, claimed: ClaimedRequest, context: StepContext): Promise<readonly Apply[]> {
  const inTurn = async (
    does: CallInTurn['does'],
    attempt: AttemptRecord,
    call: () => Promise<readonly Apply[]>,
  ): Promise<readonly Apply[]> => (await context.turns.take({ attempt, does }, claimed, call)) ?? [];
  switch (step.do) {
    case 'reach':
      // A failed connection counts as an unanswered call.
      await claimed.whileHeld(context.pool.connect(step.instance).catch(() => claimed.unanswered(step.instance)));
      claimed.reached_at.set(step.instance, context.monotonic());
      return [];
    case 'open':
      return open(step.orders, claimed, context);
    case 'launch':
      return inTurn('launch', step.attempt, () => launch(step.attempt, claimed, context));
    case 'recover':
      return recover(step.attempt, claimed, context);
    case 'observe':
      return observe(step.attempt, claimed, context);
    case 'verify':
      return verify(step, claimed, context);
    case 'release':
      return inTurn('release', step.pending.attempt, () => release(step.pending, claimed, context));
    case 'dispose':
      return inTurn('dispose', step.attempt, () => dispose(step.attempt, claimed, context));
    case 'close':
      return [(change) => change.moveAttempt(step.attempt.attempt, dropped)];
    case 'leave':
      claimed.unanswered_since.delete(step.attempt.attempt);
      return [(change) => applyLeft(change, step.attempt, step.why)];
    case 'forget':
      return [
        (change) => {
          for (const attempt of step.attempts) change.removeAttempt(attempt);
        },
      ];
    case 'mark-lost':
      return [(change) => markLost(change, step.attempt, context.settings)];
    case 'expire':
      return [expire];
    case 'undo':
      return [undo];
    case 'repeated':
      return [(change) => change.setRequest({ repeat_release_at: 0 })];
    case 'trim':
      return [trim];
    case 'replace':
      return [(change) => replace(change, context.settings)];
    case 'leases':
      await context.leaseEnds.end(claimed);
      return [announceEnds];
    case 'hand-over':
      return [(change) => handOver(change, step.to)];
    case 'end':
      return [(change) => finish(change, step.skipped)];
  }
}

/** Brokers that have the instance claim the request. */
function handOver(change: StateChange, { provider_instance, provider_type }: Elsewhere): void {
  const { handed_over = [] } = change.request;
  change.journal('request.handed_over', { provider_instance });
  change.setRequest({
    provider_instance,
    provider_type,
    selected_instance: provider_instance,
    handed_over: [...handed_over, provider_instance],
    message: `No instance of this broker can serve the request; a broker with '${provider_instance}' continues it.`,
  });
}
