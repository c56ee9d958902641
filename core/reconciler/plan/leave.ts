import type { AttemptRecord } from '../../model/attempt.ts';
import { replacementRetries } from '../replacement/plan-replacements.ts';
import type { RequestState } from '../state/request-state.ts';
import { planOrders } from './orders/plan-orders.ts';
import type { ProviderOption } from './orders/provider-option.ts';
import { requestRetries } from './orders/standing.ts';
import { isNeedless } from './pending-releases.ts';
import type { PlanContext } from './plan-context.ts';
import type { Step } from './step.ts';

/**
 * Ends an attempt that was certainly never executed, without a call: it is no longer needed, or another instance shall
 * serve.
 */
export function leave(from: RequestState, attempt: AttemptRecord, at: PlanContext): Step | undefined {
  const { provider_instance } = attempt;
  if (isNeedless(attempt, from, at.now)) return { do: 'close', attempt };
  const out = at.outOfReach(attempt);
  if (out !== undefined) return { do: 'leave', attempt, why: `${out}.` };
  if (!at.takesOrders(provider_instance))
    return { do: 'leave', attempt, why: `'${provider_instance}' takes no orders any more.` };
  // The attempt would block a slot of the instance.
  const quarantined = at.quarantined(attempt);
  if (quarantined !== undefined) return { do: 'leave', attempt, why: quarantined };
  if (!(isSilent(attempt, at) ? isServedElsewhere : isBetterElsewhere)(from, attempt, at)) return undefined;
  return { do: 'leave', attempt, why: attempt.message ?? `'${provider_instance}' does not answer.` };
}

/** Whether no call for the attempt was executed for so long that its instance counts as not answering. */
function isSilent({ attempt }: AttemptRecord, { agenda, monotonic, settings }: PlanContext): boolean {
  const since = agenda.unanswered_since.get(attempt);
  return since !== undefined && monotonic - since >= settings.silent_ms;
}

/** Whether another healthy instance has an offer for the machines of the attempt. */
function isServedElsewhere(from: RequestState, attempt: AttemptRecord, at: PlanContext): boolean {
  const isOther = ({ provider_instance, unhealthy }: ProviderOption): boolean =>
    provider_instance !== attempt.provider_instance && !unhealthy;
  return wouldOrder(from, attempt, at, isOther) !== undefined;
}

/**
 * Whether the instance of the attempt is unhealthy, and the same order would go to a healthy one now. Else the request
 * would go back to the instance, and leave it again.
 */
function isBetterElsewhere(from: RequestState, attempt: AttemptRecord, at: PlanContext): boolean {
  if (!at.isUnhealthy(attempt.provider_instance) || attempt.replaces !== undefined) return false;
  const option = wouldOrder(from, attempt, at, () => true);
  return option !== undefined && option.provider_instance !== attempt.provider_instance && !option.unhealthy;
}

/** The option, of some, that would get the order of an attempt now. */
function wouldOrder(
  from: RequestState,
  { replaces, created_at, order }: AttemptRecord,
  at: PlanContext,
  isMeant: (option: ProviderOption) => boolean,
): ProviderOption | undefined {
  if (at.held_back !== undefined) return undefined;
  const options = at.fallbackOrder().options.filter(isMeant);
  const retries = replaces ? { retries: replacementRetries(created_at) } : requestRetries(from.request);
  const { orders } = planOrders(from, options, order.machine_count, { ...at.settings, now: at.now, ...retries });
  return orders[0]?.option;
}
