import type { FaultKind } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Offer, Shortfall } from '../../model/shortfall.ts';
import type { Template } from '../../model/template.ts';
import type { Capabilities } from '../../provider.ts';
import type { Case } from '../case.ts';
import { isSettled } from '../attempt.ts';
import { isStaying } from '../machine-life.ts';

/** One instance that may serve a request, with what it offers now, in the order of preference. */
export interface Rung {
  readonly provider_instance: string;
  readonly provider_type: string;
  readonly api: string;
  readonly capabilities: Capabilities;
  /** With the instance's defaults. */
  readonly template: Template;
  /** Offers not known to lack capacity, best first; undefined when the API has none to choose from. */
  readonly offers: readonly Offer[] | undefined;
  /** Why others of its offers are left out: they lacked capacity a moment ago. */
  readonly skipped?: readonly Shortfall[];
}

export interface PlannedOrder {
  readonly rung: Rung;
  readonly machine_count: number;
  readonly offers: readonly Offer[] | undefined;
}

/** Orders made at once: what is still missing after these is planned next. */
const mostOrders = 100;

/** Attempts that start nothing are not repeated on the same rung more often than this. */
const fruitlessTries = 3;

/**
 * The next orders for the machines that are missing: the first rung that has something left, cut by what the API takes at once. Empty: the
 * ladder is at its end. Attempts made before `since` (epoch milliseconds) are forgiven. Pure.
 */
export function plan(from: Case, ladder: readonly Rung[], missing: number, since = -Infinity): readonly PlannedOrder[] {
  for (const rung of ladder) {
    const tried = from.attempts.filter(
      (attempt) => attempt.provider_instance === rung.provider_instance && attempt.api === rung.api && attempt.created_at >= since,
    );
    if (tried.some(isRuledOut)) continue;
    const offers = rung.offers?.filter((offer) => !isUsedUp(from, tried, offer));
    if (offers ? offers.length === 0 : isExhausted(from, tried)) continue;
    const taken = offers && (rung.capabilities.offers_per_launch === 'one' ? offers.slice(0, 1) : offers);
    return cut(missing, rung.capabilities.machines_per_launch).map((machine_count) => ({ rung, machine_count, offers: taken }));
  }
  return [];
}

/** The whole order was refused for a reason that has nothing to do with its offers. */
const isRuledOut = (attempt: AttemptRecord): boolean =>
  attempt.state === 'closed' && attempt.shortfall.some(({ kind }) => kind === 'quota' || kind === 'credentials');

/** An API without offers to choose from has said that it has no machines, or gave nothing often enough. */
const isExhausted = (from: Case, tried: readonly AttemptRecord[]): boolean =>
  fruitless(from, tried) >= fruitlessTries || tried.some((attempt) => attempt.shortfall.some(({ kind }) => kind === 'capacity'));

/** Kinds of shortfall after which the same offer need not be asked again. */
const final: ReadonlySet<FaultKind> = new Set(['capacity', 'quota', 'invalid', 'credentials']);

/** It was short of machines, or refused, or was tried to no effect often enough. */
function isUsedUp(from: Case, tried: readonly AttemptRecord[], offer: Offer): boolean {
  const mine = tried.filter((attempt) => attempt.order.offers?.some((each) => each.key === offer.key));
  const short = mine.some((attempt) =>
    attempt.shortfall.some(
      (each) => final.has(each.kind) && (each.offer === offer.key || (each.offer === undefined && isSettled(attempt))),
    ),
  );
  return (
    short ||
    fruitless(
      from,
      mine.filter((attempt) => blames(attempt, offer)),
    ) >= fruitlessTries
  );
}

/**
 * What it did not get is this offer's doing, as far as it says: an order that carries several may have asked only some of them, and names those.
 */
function blames({ order, shortfall }: AttemptRecord, { key }: Offer): boolean {
  const named = order.offers?.filter((offer) => shortfall.some((each) => each.offer === offer.key)) ?? [];
  return named.length === 0 || named.some((offer) => offer.key === key) || shortfall.some((each) => each.offer === undefined);
}

/** Attempts that ended without a machine that stays or was of use. */
function fruitless(from: Case, attempts: readonly AttemptRecord[]): number {
  const bore = (attempt: AttemptRecord) =>
    [...from.machines.of(attempt.attempt)].some((machine) => isStaying(machine) || machine.ready_at !== undefined);
  return attempts.filter((attempt) => isSettled(attempt) && !bore(attempt)).length;
}

function cut(count: number, most: number): number[] {
  const orders: number[] = [];
  for (let left = count; left > 0 && orders.length < mostOrders; left -= most) orders.push(Math.min(left, most));
  return orders;
}
