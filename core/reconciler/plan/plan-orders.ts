import type { Offer, Shortfall } from '../../model/shortfall.ts';
import type { RequestState } from '../state/request-state.ts';
import type { ProviderOption } from './provider-option.ts';
import { attemptsAt, isRuledOut, lastUnanswered, standingOf, type OfferClock } from './standing.ts';

export interface PlannedOrder {
  readonly option: ProviderOption;
  readonly machine_count: number;
  readonly offers: readonly Offer[] | undefined;
}

export interface OrderPlan {
  /** Empty: nothing may be ordered now. */
  readonly orders: readonly PlannedOrder[];
  /** Why nothing is: what was said of the offers that are not asked yet, and of instances that do not say what they offer. */
  readonly skipped: readonly Shortfall[];
  /** When the first of those offers may be asked, in epoch milliseconds. */
  readonly tried_again_at?: number;
}

/** Orders made at once: what is still missing after these is planned next. */
const mostOrders = 100;

/** A choice of an option: one of its offers, or all that it has where there is nothing to choose from. */
interface Choice {
  readonly offer: Offer | undefined;
  /** It lacked capacity lately, and may be asked from then on. */
  readonly tried_again_at?: number;
}

/**
 * The next orders for the machines that are missing: the first option that has offers which did not lack capacity lately; else the first that has some which may
 * be asked again; cut by what the API takes at once. Options that did not answer this request come behind the others. Pure.
 */
export function planOrders(from: RequestState, options: readonly ProviderOption[], missing: number, at: OfferClock): OrderPlan {
  const left = options
    .map((option) => ({ option, tried: attemptsAt(from, option, at) }))
    .filter(({ option, tried }) => !isRuledOut(option, tried))
    .toSorted((a, b) => lastUnanswered(a.tried) - lastUnanswered(b.tried))
    .map(({ option, tried }) => ({ option, choices: choicesOf(from, option, tried, at) }));

  for (const isNow of [isOpen, isDue] as const) {
    for (const { option, choices } of left) {
      const worth = choices.filter((choice) => isNow(choice, at.now));
      if (worth.length === 0) continue;
      const orders = ordersOf(option, worth, missing);
      // What lacked capacity is asked by one order: the others would hear the same.
      return { orders: isNow === isDue ? orders.slice(0, 1) : orders, skipped: [] };
    }
  }
  const waits = left.flatMap(({ choices }) => choices.flatMap(({ tried_again_at }) => tried_again_at ?? []));
  return {
    orders: [],
    skipped: left.flatMap(({ option }) => whySkipped(option)),
    ...(waits.length > 0 ? { tried_again_at: Math.min(...waits) } : {}),
  };
}

const isOpen = ({ tried_again_at }: Choice): boolean => tried_again_at === undefined;
const isDue = ({ tried_again_at = Infinity }: Choice, now: number): boolean => tried_again_at <= now;

function choicesOf(from: RequestState, option: ProviderOption, tried: RequestState['attempts'], at: OfferClock): readonly Choice[] {
  return (option.offers ?? [undefined]).flatMap((offer): Choice[] => {
    const standing = standingOf(from, tried, offer, at);
    if (standing === 'used-up') return [];
    const known = offer === undefined ? undefined : option.short.get(offer.key)?.tried_again_at;
    const times = [known, standing.tried_again_at].filter((time) => time !== undefined);
    return [{ offer, ...(times.length > 0 ? { tried_again_at: Math.max(...times) } : {}) }];
  });
}

function ordersOf(option: ProviderOption, choices: readonly Choice[], missing: number): readonly PlannedOrder[] {
  const { machines_per_launch, offers_per_launch } = option.capabilities;
  const worth = choices.flatMap(({ offer }) => offer ?? []);
  const offers = option.offers && (offers_per_launch === 'one' ? worth.slice(0, 1) : worth);
  return cut(missing, machines_per_launch).map((machine_count) => ({ option, machine_count, offers }));
}

const whySkipped = ({ short, trouble }: ProviderOption): readonly Shortfall[] => [
  ...(trouble ? [trouble] : []),
  ...[...short].map(
    ([
      offer,
      {
        lacked: { kind, code, message },
      },
    ]) => ({ offer, kind, code, message: `Not asked again yet: ${message}` }),
  ),
];

function cut(count: number, most: number): number[] {
  const orders: number[] = [];
  for (let left = count; left > 0 && orders.length < mostOrders; left -= most) orders.push(Math.min(left, most));
  return orders;
}
