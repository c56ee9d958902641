import type { AttemptRecord, OrderChoice } from '../../../model/attempt.ts';
import type { MachineKey } from '../../../model/machine.ts';
import type { Offer, Shortfall } from '../../../model/shortfall.ts';
import type { RequestState } from '../../state/request-state.ts';
import { attemptsByOffer, orderedKeys } from './attempt-reasons.ts';
import type { ProviderOption } from './provider-option.ts';
import {
  attemptsAt,
  isRuledOut,
  isWhollyDenied,
  lastUnanswered,
  paceOf,
  standingOf,
  thoseThatCount,
  type OfferClock,
} from './standing.ts';

export interface PlannedOrder {
  readonly option: ProviderOption;
  readonly machine_count: number;
  readonly offers: readonly Offer[] | undefined;
  /** Only of an order for replacements: the machines to replace, one for each machine of the order. */
  readonly replaces?: readonly MachineKey[];
  /** Why the order goes to its instance, for people. */
  readonly choice?: OrderChoice;
}

export interface OrderPlan {
  /** Empty: nothing may be ordered now. */
  readonly orders: readonly PlannedOrder[];
  /**
   * Why nothing is ordered: the shortfall of offers that must not be used yet, and of instances that failed to list
   * their offers.
   */
  readonly skipped: readonly Shortfall[];
  /** Missing permissions alone rule out every option until the end of the request. */
  readonly denied: boolean;
  /** The first time at which one of these offers may be used again, in epoch milliseconds. */
  readonly tried_again_at?: number;
}

/** The most orders of one plan. The machines beyond them are planned next. */
const mostOrders = 100;

/** An alternative of an option: one of its offers, or the whole option when its API has no offers. */
interface Choice {
  readonly offer: Offer | undefined;
  readonly avoided: boolean;
  /** An attempt of the request had the offer. Computed only where the offers take turns. */
  readonly ordered: boolean;
  /** Set when the offer lacked capacity recently: the time from which it may be used again. */
  readonly tried_again_at?: number;
}

/**
 * Plans the next orders for the missing machines. The first option with offers that did not lack capacity recently is
 * used, else the first option with offers that may be tried again. The machines are split by the maximum of the API.
 * Options that did not answer this request come last. `avoided`: the keys of the offers of an option that come after
 * its other offers. Pure.
 */
export function planOrders(
  from: RequestState,
  options: readonly ProviderOption[],
  missing: number,
  at: OfferClock,
  avoided: (option: ProviderOption) => ReadonlySet<string> = () => none,
): OrderPlan {
  const { turns, paused_until } = paceOf(from, at);
  const passes = turns ? [isUnknown, isUsable] : [isOpen, isDue];
  const known = options.map((option) => {
    const attempts = attemptsAt(from, option);
    return { option, attempts, tried: thoseThatCount(attempts, at) };
  });
  const left = known
    .filter(({ option, tried }) => !isRuledOut(option, tried))
    .toSorted((a, b) => lastUnanswered(a.tried) - lastUnanswered(b.tried))
    .map((each) => ({
      option: each.option,
      choices: paused_until === undefined ? choicesOf(from, each, at, avoided(each.option), turns) : [],
    }));

  for (const isNow of passes) {
    for (const { option, choices } of left) {
      const usable = (turns ? fromTurn(from, choices) : choices).filter((choice) => isNow(choice, at.now));
      const worth = turns ? usable.slice(0, Math.max(fewestInTurn, Math.ceil(choices.length / 10))) : usable;
      if (worth.length === 0) continue;
      const preferred = worth.filter((choice) => !choice.avoided);
      const orders = ordersOf(option, preferred.length > 0 ? preferred : worth, missing);
      // An offer that lacked capacity gets a single order, because the others would fail in the same way.
      return { orders: isNow === passes[0] ? orders : orders.slice(0, 1), skipped: [], denied: false };
    }
  }
  const waits =
    paused_until === undefined
      ? left.flatMap(({ choices }) => choices.flatMap(({ tried_again_at }) => tried_again_at ?? []))
      : [paused_until];
  return {
    orders: [],
    skipped: left.flatMap(({ option }) => whySkipped(option)),
    denied: known.length > 0 && known.every(({ option, tried }) => isWhollyDenied(option, tried)),
    ...(waits.length > 0 ? { tried_again_at: Math.min(...waits) } : {}),
  };
}

const none: ReadonlySet<string> = new Set();
const isOpen = ({ tried_again_at }: Choice): boolean => tried_again_at === undefined;
const isDue = ({ tried_again_at = Infinity }: Choice, now: number): boolean => tried_again_at <= now;
const isUsable = (choice: Choice, now: number): boolean => isOpen(choice) || isDue(choice, now);
const isUnknown = (choice: Choice): boolean => isOpen(choice) && !choice.ordered;

/** The fewest offers of an order of a request whose offers take turns, where there are as many. */
const fewestInTurn = 10;

/**
 * The offers take turns: each order has a tenth of them, from another place of the list on. So every offer gets its
 * turn, and the stored orders stay small.
 */
function fromTurn({ attempts }: RequestState, choices: readonly Choice[]): readonly Choice[] {
  const start = Math.max(...attempts.map(({ attempt }) => attempt)) % Math.max(1, choices.length);
  return [...choices.slice(start), ...choices.slice(0, start)];
}

interface Known {
  readonly option: ProviderOption;
  readonly attempts: readonly AttemptRecord[];
  /** The attempts that count. */
  readonly tried: readonly AttemptRecord[];
}

function choicesOf(
  from: RequestState,
  { option, attempts, tried }: Known,
  at: OfferClock,
  avoided: ReadonlySet<string>,
  turns: boolean,
): readonly Choice[] {
  const triedWith = attemptsByOffer(tried);
  const ordered = turns ? orderedKeys(attempts) : none;
  return (option.offers ?? [undefined]).flatMap((offer): Choice[] => {
    const standing = standingOf(from, triedWith(offer), offer, at);
    if (standing === 'used-up') return [];
    const known = offer === undefined ? undefined : option.shortfalls.get(offer.key)?.tried_again_at;
    const times = [known, standing.tried_again_at].filter((time) => time !== undefined);
    return [
      {
        offer,
        ordered: offer === undefined ? attempts.length > 0 : ordered.has(offer.key),
        avoided: offer !== undefined && avoided.has(offer.key),
        ...(times.length > 0 ? { tried_again_at: Math.max(...times) } : {}),
      },
    ];
  });
}

function ordersOf(option: ProviderOption, choices: readonly Choice[], missing: number): readonly PlannedOrder[] {
  const { machines_per_launch, offers_per_launch } = option.capabilities;
  const worth = choices.flatMap(({ offer }) => offer ?? []);
  const offers = option.offers && (offers_per_launch === 'one' ? worth.slice(0, 1) : worth);
  return cut(missing, machines_per_launch).map((machine_count) => ({ option, machine_count, offers }));
}

const whySkipped = ({ shortfalls, trouble }: ProviderOption): readonly Shortfall[] => [
  ...(trouble ? [trouble] : []),
  ...[...shortfalls].map(
    ([
      offer,
      {
        shortfall: { kind, code, message },
      },
    ]) => ({ offer, kind, code, message: `Not retried yet: ${message}` }),
  ),
];

function cut(count: number, most: number): number[] {
  const orders: number[] = [];
  for (let left = count; left > 0 && orders.length < mostOrders; left -= most) orders.push(Math.min(left, most));
  return orders;
}
