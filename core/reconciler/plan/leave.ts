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
 * The ends, without a call, of attempts that were certainly never executed: another instance shall serve, or an
 * attempt is no longer needed. Of the latter one at a time: fewer may be needless without it.
 */
export function leave(from: RequestState, attempts: readonly AttemptRecord[], at: PlanContext): readonly Step[] {
  const places = new Places(from, at);
  const steps: Step[] = [];
  for (const attempt of attempts) {
    const step = endOf(attempt, from, at, places);
    if (step?.do === 'close') return [step];
    if (step) steps.push(step);
  }
  return steps;
}

function endOf(attempt: AttemptRecord, from: RequestState, at: PlanContext, places: Places): Step | undefined {
  const { provider_instance } = attempt;
  if (isNeedless(attempt, from, at.now)) return { do: 'close', attempt };
  const out = at.outOfReach(attempt);
  if (out !== undefined) return { do: 'leave', attempt, why: `${out}.` };
  if (!at.takesOrders(provider_instance))
    return { do: 'leave', attempt, why: `'${provider_instance}' takes no orders any more.` };
  // The attempt would block a slot of the instance.
  const quarantined = at.quarantined(attempt);
  if (quarantined !== undefined) return { do: 'leave', attempt, why: quarantined };
  if (!(isSilent(attempt, at) ? places.serveElsewhere(attempt) : places.areBetterElsewhere(attempt))) return undefined;
  return { do: 'leave', attempt, why: attempt.message ?? `'${provider_instance}' does not answer.` };
}

/** Whether no call for the attempt was executed for so long that its instance counts as not answering. */
function isSilent({ attempt }: AttemptRecord, { agenda, monotonic, settings }: PlanContext): boolean {
  const since = agenda.unanswered_since.get(attempt);
  return since !== undefined && monotonic - since >= settings.silent_ms;
}

/** Where the machines of attempts would be ordered now. Attempts that ask alike are answered once for all. */
class Places {
  readonly #from: RequestState;
  readonly #at: PlanContext;
  readonly #known = new Map<string, ProviderOption | undefined>();

  constructor(from: RequestState, at: PlanContext) {
    this.#from = from;
    this.#at = at;
  }

  /** Whether another healthy instance has an offer for the machines of the attempt. */
  serveElsewhere(attempt: AttemptRecord): boolean {
    return this.#option(attempt, attempt.provider_instance) !== undefined;
  }

  /**
   * Whether the instance of the attempt is unhealthy, and the same order would go to a healthy one now. Else the
   * request would go back to the instance, and leave it again.
   */
  areBetterElsewhere(attempt: AttemptRecord): boolean {
    if (!this.#at.isUnhealthy(attempt.provider_instance) || attempt.replaces !== undefined) return false;
    const option = this.#option(attempt);
    return option !== undefined && option.provider_instance !== attempt.provider_instance && !option.unhealthy;
  }

  /** The option that would get the order of an attempt now. `notAt`: of the healthy ones at other instances. */
  #option(
    { replaces, created_at, order: { machine_count } }: AttemptRecord,
    notAt?: string,
  ): ProviderOption | undefined {
    const { held_back, settings, now } = this.#at;
    if (held_back !== undefined) return undefined;
    const retries = replaces ? { retries: replacementRetries(created_at) } : requestRetries(this.#from.request);
    const question = JSON.stringify([notAt, machine_count, retries]);
    if (this.#known.has(question)) return this.#known.get(question);
    const isMeant = ({ provider_instance, unhealthy }: ProviderOption): boolean =>
      notAt === undefined || (provider_instance !== notAt && !unhealthy);
    const options = this.#at.fallbackOrder().options.filter(isMeant);
    const { orders } = planOrders(this.#from, options, machine_count, { ...settings, now, ...retries });
    const option = orders[0]?.option;
    this.#known.set(question, option);
    return option;
  }
}
