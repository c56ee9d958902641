import type { FaultKind } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Offer, Shortfall } from '../../model/shortfall.ts';
import type { RequestState } from '../state/request-state.ts';
import { isSettled } from '../state/attempt.ts';
import { isStaying } from '../state/machine-life.ts';
import type { Settings } from '../settings.ts';
import type { ProviderOption } from './provider-option.ts';

/** What a plan goes by, beside the case and the options. */
export interface OfferClock extends Pick<Settings, 'offer_memory_ms' | 'offer_probe_ms'> {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The request keeps trying until its time-out: it forgives what is older than the memory of offers. */
  readonly persistent: boolean;
}

/** Attempts that start nothing are not repeated at the same option, or with the same offer, more often than this. */
const fruitlessTries = 3;

/**
 * So long an offer that lacked capacity is left alone. A request that keeps trying asks ever more rarely, each time after a hundredth of its age: one that
 * waits for a week makes some hundred attempts, not forty thousand.
 */
const probeMs = ({ request }: RequestState, { now, offer_probe_ms, persistent }: OfferClock): number =>
  persistent ? Math.max(offer_probe_ms, (now - request.created_at) / 100) : offer_probe_ms;

/** So long what an offer lacked is remembered: at least until it is asked again. */
const memoryMs = (from: RequestState, at: OfferClock): number => Math.max(at.offer_memory_ms, 2 * probeMs(from, at));

/** The attempts of a request at an option that count. */
export const attemptsAt = (from: RequestState, { provider_instance, api }: ProviderOption, at: OfferClock): readonly AttemptRecord[] => {
  const since = at.persistent ? at.now - memoryMs(from, at) : -Infinity;
  return from.attempts.filter((each) => each.provider_instance === provider_instance && each.api === api && each.created_at >= since);
};

/** The whole order was refused for a reason that has nothing to do with its offers. Credentials hold it up only until the instance may act again. */
export const isRuledOut = ({ unhealthy = false }: ProviderOption, tried: readonly AttemptRecord[]): boolean =>
  tried.some(
    ({ state, shortfall }) =>
      state === 'closed' &&
      shortfall.some(({ kind, code }) => kind === 'quota' || (kind === 'credentials' && unhealthy) || code === 'PREPARATION_FAILED'),
  );

/** The instance did not answer, and was left: nothing is known of what it offers. */
const isUnanswered = ({ state, shortfall }: AttemptRecord): boolean =>
  state === 'closed' && shortfall.some(({ kind }) => kind === 'unavailable');

/** The last attempt that was left because the instance did not answer; 0: none. */
export const lastUnanswered = (tried: readonly AttemptRecord[]): number =>
  Math.max(0, ...tried.filter(isUnanswered).map(({ attempt }) => attempt));

/** How an offer stands for one request, by its own attempts. `tried_again_at`: it lacked capacity, and may be asked from then on. */
export type Standing = 'used-up' | { readonly tried_again_at?: number };

/** `offer` undefined: all that an API has which lets nobody choose. */
export function standingOf(from: RequestState, tried: readonly AttemptRecord[], offer: Offer | undefined, at: OfferClock): Standing {
  const mine = tried.filter(({ order }) => offer === undefined || order.offers?.some(({ key }) => key === offer.key));
  if (mine.some((attempt) => attempt.shortfall.some((each) => isFinal(each, attempt) && concerns(each, attempt, offer)))) return 'used-up';
  const lacked = mine.filter((attempt) => attempt.shortfall.some((each) => each.kind === 'capacity' && concerns(each, attempt, offer)));
  // One that keeps trying asks a scarce offer as often as it takes.
  const counted = at.persistent ? mine.filter((attempt) => !lacked.includes(attempt)) : mine;
  const vain = counted.filter((attempt) => isFruitless(from, attempt) && !isUnanswered(attempt) && blames(attempt, offer));
  if (vain.length >= fruitlessTries) return 'used-up';
  // What was heard later than now was heard before the clock was set back.
  const since = lacked.filter(({ attempt }) => attempt > lastServed(from, mine));
  const lately = since.map(heardAt).filter((heard) => heard > at.now - memoryMs(from, at) && heard <= at.now);
  return lately.length === 0 ? {} : { tried_again_at: Math.max(...lately) + probeMs(from, at) };
}

/** The last attempt that got all that it was to get: what was short before it was there again then. 0: none. */
const lastServed = (from: RequestState, mine: readonly AttemptRecord[]): number =>
  Math.max(
    0,
    ...mine.filter((each) => each.shortfall.length === 0 && isSettled(each) && !isFruitless(from, each)).map(({ attempt }) => attempt),
  );

/** Kinds of shortfall after which the same offer need not be asked again. */
const final: ReadonlySet<FaultKind> = new Set(['quota', 'invalid', 'credentials']);

/** Of missing credentials the option's own state tells, where they were all that was said. */
const isFinal = ({ kind }: Shortfall, { state }: AttemptRecord): boolean =>
  final.has(kind) && !(kind === 'credentials' && state === 'closed');

const concerns = (each: Shortfall, attempt: AttemptRecord, offer: Offer | undefined): boolean =>
  offer === undefined || each.offer === offer.key || (each.offer === undefined && isSettled(attempt));

/** When an attempt's outcome was known, as far as that is written down. */
const heardAt = ({ created_at, sent_at, answered_ms = 0 }: AttemptRecord): number => (sent_at ?? created_at) + answered_ms;

/**
 * What it did not get is this offer's doing, as far as it says: an order that carries several may have asked only some of them, and names those.
 */
function blames({ order, shortfall }: AttemptRecord, offer: Offer | undefined): boolean {
  const named = order.offers?.filter(({ key }) => shortfall.some((each) => each.offer === key)) ?? [];
  return named.length === 0 || named.some(({ key }) => key === offer?.key) || shortfall.some((each) => each.offer === undefined);
}

/** It ended without a machine that stays or was of use. */
const isFruitless = (from: RequestState, attempt: AttemptRecord): boolean =>
  isSettled(attempt) && ![...from.machines.of(attempt.attempt)].some((machine) => isStaying(machine) || machine.ready_at !== undefined);
