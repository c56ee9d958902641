import type { RequestState } from '../../state/request-state.ts';
import { attemptsByOffer } from './attempt-reasons.ts';
import type { ProviderOption } from './provider-option.ts';
import { attemptsAt, isRuledOut, standingOf, thoseThatCount, type OfferClock } from './standing.ts';

/**
 * The states of an offer for one request: `free` may be ordered; `short` lacked capacity and comes after all others;
 * `refused` is not ordered again for this request, because the provider refused it for another reason.
 */
export const offerStates = ['free', 'short', 'refused'] as const;
export type OfferState = (typeof offerStates)[number];

/** An offer of an instance as a request may use it now. Times are epoch milliseconds. */
export interface OfferStanding {
  readonly key: string;
  readonly state: OfferState;
  readonly short_since?: number;
  readonly tried_again_at?: number;
}

/** The offers of an option, best first, with their states for a request. Pure. */
export function offersFor(from: RequestState, option: ProviderOption, at: OfferClock): readonly OfferStanding[] {
  const tried = thoseThatCount(attemptsAt(from, option), at);
  const ruledOut = isRuledOut(option, tried);
  const triedWith = attemptsByOffer(tried);
  return (option.offers ?? []).map((offer): OfferStanding => {
    const { key } = offer;
    const standing = ruledOut ? 'used-up' : standingOf(from, triedWith(offer), offer, at);
    if (standing === 'used-up') return { key, state: 'refused' };
    const known = option.shortfalls.get(key);
    const times = [known?.tried_again_at, standing.tried_again_at].filter((time) => time !== undefined);
    if (times.length === 0) return { key, state: 'free' };
    return {
      key,
      state: 'short',
      ...(known === undefined ? {} : { short_since: known.short_since }),
      tried_again_at: Math.max(...times),
    };
  });
}
