import type { FaultKind } from '../../../contract/fault.ts';
import type { AttemptRecord } from '../../../model/attempt.ts';
import type { RequestRecord } from '../../../model/request.ts';
import type { Offer, Shortfall } from '../../../model/shortfall.ts';
import type { RequestState } from '../../state/request-state.ts';
import { isSettled } from '../../state/attempt.ts';
import { isStaying } from '../../state/machine-life.ts';
import type { Settings } from '../../settings.ts';
import { isOrdered, isUntried, namesOrderedOffer, reasonsAgainst, reasonsFor } from './attempt-reasons.ts';
import type { ProviderOption } from './provider-option.ts';

/** The inputs of a plan besides the state and the options. */
export interface OfferClock extends Pick<Settings, 'offer_memory_ms' | 'offer_probe_ms'> {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Absent: an offer that lacked capacity is not used again after each offer was tried. */
  readonly retries?: Retries;
}

/**
 * An order is tried again until a time-out: shortfalls older than `offer_memory_ms` no longer count. It waits longer
 * the longer it is tried.
 */
export interface Retries {
  /** Epoch milliseconds. */
  readonly since: number;
  /** The wait before an offer that lacked capacity is used again, as a share of the time since then. */
  readonly share: number;
}

/** The retries of a request with `retry_until_timeout`: one that waits for a week makes some hundred attempts. */
export const requestRetries = ({ template, created_at }: RequestRecord): { readonly retries?: Retries } =>
  template?.retry_until_timeout === true ? { retries: { since: created_at, share: 1 / 100 } } : {};

/**
 * The number of attempts with a missing permission after which an option is not tried again. A permission may concern
 * one machine type or subnet, so further offers are tried; the bound limits the calls that the provider refuses.
 */
const mostDenials = 10;

/** The account or the identity of the instance lacks a permission: only this option or offer cannot serve. */
export const isDenied = ({ kind, lack }: Pick<Shortfall, 'kind' | 'lack'>): boolean =>
  kind === 'invalid' && lack === 'denied';

const wasDenied = ({ shortfall }: AttemptRecord): boolean => shortfall.some(isDenied);

/** The number of failed attempts after which an option or an offer is not tried again. */
const fruitlessTries = 3;

/** How long an offer that lacked capacity is not used. */
const probeMs = ({ now, offer_probe_ms, retries }: OfferClock): number =>
  retries ? Math.max(offer_probe_ms, (now - retries.since) * retries.share) : offer_probe_ms;

/** How long a lack of capacity is remembered: at least until the offer is tried again. */
export const memoryMs = (at: OfferClock): number => Math.max(at.offer_memory_ms, 2 * probeMs(at));

/** The attempts of a request at an option. */
export const attemptsAt = (
  { attempts }: RequestState,
  { provider_instance, api }: ProviderOption,
): readonly AttemptRecord[] =>
  attempts.filter((each) => each.provider_instance === provider_instance && each.api === api);

/** Those attempts that count. A missing permission counts until the end of the request. */
export const thoseThatCount = (attempts: readonly AttemptRecord[], at: OfferClock): readonly AttemptRecord[] => {
  const since = at.retries ? at.now - memoryMs(at) : -Infinity;
  return attempts.filter((each) => each.created_at >= since || wasDenied(each));
};

/**
 * Whether the whole order was refused for a reason that does not depend on its offers. Refused credentials rule an
 * option out only until the instance is healthy again.
 */
export const isRuledOut = ({ unhealthy = false }: ProviderOption, tried: readonly AttemptRecord[]): boolean =>
  hasTooManyDenials(tried) ||
  tried.some(
    ({ state, shortfall }) =>
      state === 'closed' &&
      shortfall.some(
        ({ kind, code }) => kind === 'quota' || (kind === 'credentials' && unhealthy) || code === 'PREPARATION_FAILED',
      ),
  );

const hasTooManyDenials = (tried: readonly AttemptRecord[]): boolean => tried.filter(wasDenied).length >= mostDenials;

/** Whether missing permissions alone rule out the option, with all its offers, until the end of the request. */
export const isWhollyDenied = ({ offers }: ProviderOption, tried: readonly AttemptRecord[]): boolean =>
  hasTooManyDenials(tried) || (tried.some(wasDenied) && areAllDenied(offers, tried));

const areAllDenied = (offers: ProviderOption['offers'], tried: readonly AttemptRecord[]): boolean =>
  (offers ?? [undefined]).every((offer) => tried.some((attempt) => reasonsAgainst(attempt, offer).some(isDenied)));

/** The attempt was ended because the instance did not answer, so it shows nothing about the offers. */
export const isUnanswered = ({ state, shortfall }: AttemptRecord): boolean =>
  state === 'closed' && shortfall.some(({ kind }) => kind === 'unavailable');

/** The last attempt that was ended because the instance did not answer; 0: none. */
export const lastUnanswered = (tried: readonly AttemptRecord[]): number =>
  Math.max(0, ...tried.filter(isUnanswered).map(({ attempt }) => attempt));

/**
 * The state of an offer for one request, by its own attempts. `tried_again_at`: the offer lacked capacity and may be
 * used again from then on.
 */
export type Standing = 'used-up' | { readonly tried_again_at?: number };

/**
 * `tried`: the attempts that concern the offer. `offer` undefined: the whole option of an API without offers.
 */
export function standingOf(
  from: RequestState,
  tried: readonly AttemptRecord[],
  offer: Offer | undefined,
  at: OfferClock,
): Standing {
  const mine = tried.filter((attempt) => isOrdered(attempt, offer));
  if (tried.some((attempt) => reasonsAgainst(attempt, offer).some((each) => isFinal(each, attempt)))) return 'used-up';
  const lacked = mine.filter((attempt) => lacksCapacity(attempt, offer));
  // With retries a scarce offer may be tried any number of times.
  const scarce = new Set(lacked);
  const counted = at.retries ? mine.filter((attempt) => !scarce.has(attempt)) : mine;
  const vain = counted.filter(
    (attempt) =>
      isFruitless(from, attempt) &&
      !isUnanswered(attempt) &&
      blames(attempt, offer) &&
      !isFirstOfPart(attempt, mine, lacked),
  );
  if (vain.length >= fruitlessTries) return 'used-up';
  // A time in the future was recorded before the clock was set back.
  const served = lastServed(from, mine);
  const since = lacked.filter(({ attempt }) => attempt > served);
  const lately = since.filter((each) => heardAt(each) > at.now - memoryMs(at) && heardAt(each) <= at.now);
  const waits = lately.map((each) => heardAt(each) + (isUntried(each, offer) ? 0 : probeMs(at)));
  return waits.length === 0 ? {} : { tried_again_at: Math.max(...waits) };
}

const lacksCapacity = (attempt: AttemptRecord, offer: Offer | undefined): boolean =>
  reasonsFor(attempt, offer).some(({ kind }) => kind === 'capacity');

/**
 * The most attempts without any machine within the time for which a lack of capacity is remembered. A persistent
 * request with hundreds of offers would otherwise use up the calls of its account, and store thousands of attempts.
 */
const mostFruitless = 60;
/** From so many such attempts on, the offers take turns. */
const turnsAfter = 30;

/** The pace of a persistent request without capacity. */
export interface Pace {
  /** Its offers take turns. */
  readonly turns: boolean;
  /** Until then it makes no further order. */
  readonly paused_until?: number;
}

export function paceOf(from: RequestState, at: OfferClock): Pace {
  if (!at.retries || from.attempts.length < turnsAfter) return { turns: false };
  const served = from.attempts.findLastIndex((attempt) => isSettled(attempt) && !isFruitless(from, attempt));
  const vain = from.attempts.slice(served + 1).filter((attempt) => isFruitless(from, attempt));
  const memory = memoryMs(at);
  const late = vain.map(({ created_at }) => created_at).filter((time) => time > at.now - memory && time <= at.now);
  const first = late.toSorted((a, b) => b - a)[mostFruitless - 1];
  return { turns: vain.length >= turnsAfter, ...(first === undefined ? {} : { paused_until: first + memory }) };
}

/** The part of its offer, such as one zone, that lacked capacity in an attempt; undefined: the attempt names none. */
function partOf({ order, shortfall: [first, ...more] }: AttemptRecord): string | undefined {
  const named = first?.kind === 'capacity' && more.length === 0 ? first.offer : undefined;
  return order.offers?.every(({ key }) => key !== named) ? named : undefined;
}

/**
 * The attempt lacked capacity only in a part of its offer for which no earlier result was known: the other parts were
 * not tried. A part counts as a first one again after the whole offer lacked capacity.
 */
function isFirstOfPart(
  attempt: AttemptRecord,
  mine: readonly AttemptRecord[],
  lacked: readonly AttemptRecord[],
): boolean {
  const part = partOf(attempt);
  if (part === undefined) return false;
  const isEarlier = (each: AttemptRecord) => each.attempt < attempt.attempt;
  const since = Math.max(0, ...lacked.filter(isEarlier).map((each) => each.attempt));
  return !mine.some(
    (each) => each.attempt > since && isEarlier(each) && partOf(each) === part && heardAt(each) <= attempt.created_at,
  );
}

/** The last attempt that got all its machines: earlier shortages had ended by then. 0: none. */
const lastServed = (from: RequestState, mine: readonly AttemptRecord[]): number =>
  Math.max(
    0,
    ...mine
      .filter((each) => each.shortfall.length === 0 && isSettled(each) && !isFruitless(from, each))
      .map(({ attempt }) => attempt),
  );

/** Kinds of shortfall after which the same offer is not used again. */
const final: ReadonlySet<FaultKind> = new Set(['quota', 'invalid', 'credentials']);

/** Refused credentials of a closed attempt do not count here, because the health of the option shows them. */
const isFinal = ({ kind }: Shortfall, { state }: AttemptRecord): boolean =>
  final.has(kind) && !(kind === 'credentials' && state === 'closed');

/** When the outcome of an attempt was known, as far as it is recorded. */
const heardAt = ({ created_at, sent_at, answered_ms = 0 }: AttemptRecord): number =>
  (sent_at ?? created_at) + answered_ms;

/**
 * Whether the shortfall of an attempt concerns this offer: an order with several offers may have used only those that
 * its shortfall names. An offer that was perhaps not tried is not concerned.
 */
function blames(attempt: AttemptRecord, offer: Offer | undefined): boolean {
  if (isUntried(attempt, offer)) return false;
  return reasonsFor(attempt, offer).length > 0 || !namesOrderedOffer(attempt);
}

/** The attempt ended without a machine that stays or was ever ready. */
export function isFruitless(from: RequestState, attempt: AttemptRecord): boolean {
  if (!isSettled(attempt)) return false;
  for (const machine of from.machines.of(attempt.attempt))
    if (isStaying(machine) || machine.ready_at !== undefined) return false;
  return true;
}
