import type { AttemptRecord } from '../../../model/attempt.ts';
import type { Offer, Shortfall } from '../../../model/shortfall.ts';
import { isSettled } from '../../state/attempt.ts';

/** The offers and the shortfall of an attempt, by offer. */
interface Index {
  readonly ordered: ReadonlySet<string>;
  readonly named: ReadonlyMap<string, readonly Shortfall[]>;
  /** Reasons that name no offer. */
  readonly whole: readonly Shortfall[];
  readonly namesOrdered: boolean;
  /** Not all reasons say that offers were perhaps not tried: then some offer was. */
  readonly tried: boolean;
}

// Records never change, and a plan with hundreds of offers reads each attempt as often.
const indexes = new WeakMap<AttemptRecord, Index>();

function indexOf(attempt: AttemptRecord): Index {
  const known = indexes.get(attempt);
  if (known) return known;
  const { order, shortfall } = attempt;
  const ordered = new Set(order.offers?.map(({ key }) => key));
  const named = Map.groupBy(
    shortfall.filter(({ offer }) => offer !== undefined),
    ({ offer = '' }) => offer,
  );
  const index: Index = {
    ordered,
    named,
    whole: shortfall.filter(({ offer }) => offer === undefined),
    namesOrdered: [...named.keys()].some((key) => ordered.has(key)),
    tried: shortfall.some(({ lack }) => lack !== 'untried'),
  };
  indexes.set(attempt, index);
  return index;
}

/**
 * Finds the attempts that ordered an offer, or whose shortfall names it, in their order. A plan asks about hundreds of
 * offers; each attempt concerns few of them.
 */
export function attemptsByOffer(
  attempts: readonly AttemptRecord[],
): (offer: Offer | undefined) => readonly AttemptRecord[] {
  const byKey = new Map<string, AttemptRecord[]>();
  for (const attempt of attempts) {
    const { ordered, named } = indexOf(attempt);
    for (const key of new Set([...ordered, ...named.keys()])) {
      const mine = byKey.get(key);
      if (mine) mine.push(attempt);
      else byKey.set(key, [attempt]);
    }
  }
  return (offer) => (offer === undefined ? attempts : (byKey.get(offer.key) ?? []));
}

/** The keys of the offers that any of the attempts ordered. */
export function orderedKeys(attempts: readonly AttemptRecord[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const attempt of attempts) for (const key of indexOf(attempt).ordered) keys.add(key);
  return keys;
}

/** `offer` undefined: the whole option of an API without offers. */
export const isOrdered = (attempt: AttemptRecord, offer: Offer | undefined): boolean =>
  offer === undefined || indexOf(attempt).ordered.has(offer.key);

export const namesOrderedOffer = (attempt: AttemptRecord): boolean => indexOf(attempt).namesOrdered;

/**
 * The reasons that concern an ordered offer: those that name it, and those of a settled attempt that name none. A
 * reason without an offer says that offers were perhaps not tried only of those that no other reason names.
 */
export function reasonsFor(attempt: AttemptRecord, offer: Offer | undefined): readonly Shortfall[] {
  if (offer === undefined) return attempt.shortfall;
  const { named, whole } = indexOf(attempt);
  const own = named.get(offer.key) ?? [];
  if (whole.length === 0 || !isSettled(attempt)) return own;
  return [...own, ...(own.length === 0 ? whole : whole.filter(({ lack }) => lack !== 'untried'))];
}

/** The reasons that may rule an offer out. A refusal of a market names also offers that the order did not have. */
export const reasonsAgainst = (attempt: AttemptRecord, offer: Offer | undefined): readonly Shortfall[] =>
  isOrdered(attempt, offer) ? reasonsFor(attempt, offer) : (indexOf(attempt).named.get(offer?.key ?? '') ?? []);

/**
 * The provider may not have tried the offer in this attempt: the offer comes after all others, without a wait. An
 * attempt in which nothing was tried counts for all its offers, since it would be repeated without end.
 */
export function isUntried(attempt: AttemptRecord, offer: Offer | undefined): boolean {
  if (offer === undefined || !indexOf(attempt).tried) return false;
  const reasons = reasonsFor(attempt, offer);
  return reasons.length > 0 && reasons.every(({ lack }) => lack === 'untried');
}
