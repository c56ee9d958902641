import { applyLeft, markLost } from '../apply/apply-launch.ts';
import { expire, finish, trim, undo } from '../apply/finish.ts';
import { dropped } from '../state/attempt.ts';
import type { Step } from '../plan/next-step.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import { dispose } from './dispose.ts';
import { recover } from './recover.ts';
import { observe } from './observe.ts';
import { open } from './open.ts';
import { release } from './release.ts';
import { launch } from './launch.ts';
import type { Apply, Tools } from './tools.ts';

/**
 * Executes one step: at most one call to the provider, and the commits that must precede it. Rejects only with
 * ClaimLost or a failed commit.
 */
export async function perform(step: Step, claimed: ClaimedRequest, tools: Tools): Promise<readonly Apply[]> {
  switch (step.do) {
    case 'open':
      return open(step.orders, claimed, tools);
    case 'launch':
      return tools.slot(step.attempt.provider_instance, () => launch(step.attempt, claimed, tools));
    case 'recover':
      return recover(step.attempt, claimed, tools);
    case 'observe':
      return observe(step.attempt, claimed, tools);
    case 'release':
      return tools.slot(step.pending.attempt.provider_instance, () => release(step.pending, claimed, tools));
    case 'dispose':
      return tools.slot(step.attempt.provider_instance, () => dispose(step.attempt, claimed, tools));
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
      return [(change) => markLost(change, step.attempt, tools.settings)];
    case 'expire':
      return [expire];
    case 'undo':
      return [undo];
    case 'repeated':
      return [(change) => change.setRequest({ repeat_release_at: 0 })];
    case 'trim':
      return [trim];
    case 'end':
      return [(change) => finish(change, step.skipped)];
  }
}
