import {
  minus,
  nothingReserved,
  plus,
  reservationOf,
  reservesText,
  type Reserved,
  type ReservedPart,
  type Tags,
} from '../model/budget/reserved.ts';
import type { AttemptRecord } from '../model/attempt.ts';
import { isTerminal, type RequestRecord } from '../model/request.ts';
import type { Placed, Template } from '../model/template.ts';
import type { RequestState } from '../reconciler/state/request-state.ts';
import { ownTags, ownTagsOfOrder, tagsOfRequest, type OwnTags } from '../reconciler/plan/machine-tags.ts';
import { arrivalsOf, tally } from '../reconciler/state/counting.ts';
import { microusd, type Budget } from './budget.ts';
import { amountsOf, unknownWorth, type Valuation, type Worth } from './valuation.ts';

/** Parts of a vCPU are rounded up to whole ones, which storages add up exactly. */
const whole = (reserved: Reserved): Reserved => ({
  ...reserved,
  vcpus: Math.max(0, Math.ceil(reserved.vcpus - 1e-9)),
});

/** What machines of equal worth take, with parts of a vCPU. */
const unrounded = (machines: number, { vcpus, microusd: price }: Omit<Worth, 'market'>): Reserved => ({
  machines,
  vcpus: machines * (vcpus ?? 0),
  microusd: machines * (price ?? 0),
  unsized: vcpus === undefined ? machines : 0,
  unpriced: price === undefined ? machines : 0,
});

/** What machines of equal worth take. Parts of a vCPU are rounded up for all of them together. */
export const taken = (machines: number, worth: Omit<Worth, 'market'>): Reserved => whole(unrounded(machines, worth));

/** What requests take of budgets, as it is stored with them. */
export class Reservations {
  readonly #valuation: Valuation;
  readonly #valued: boolean;
  readonly #tagged: boolean;
  /** The least that a machine without a known price counts in millionths of a dollar. Infinity: no budget takes one. */
  readonly #unknownPrice: number;

  /** `budgets`: the configured ones. */
  constructor(valuation: Valuation, budgets: readonly Budget[]) {
    this.#valuation = valuation;
    this.#valued = budgets.some(
      ({ max_vcpus, max_usd_per_hour, max_usd_per_day, scope }) =>
        (max_vcpus ?? max_usd_per_hour ?? max_usd_per_day ?? scope.market) !== undefined,
    );
    this.#tagged = budgets.some(({ scope }) => scope.tags !== undefined);
    this.#unknownPrice = Math.min(
      ...budgets.map(({ unknown_price_usd }) =>
        unknown_price_usd === undefined ? Infinity : microusd(unknown_price_usd),
      ),
    );
  }

  /** The reservation of a request that is about to be accepted: its machines, each as the dearest that may come. */
  ofNew(request: NewRequest): string {
    const tags = tagsOfRequest(request);
    // Where all places give the same tags, the machines have them before it is known where they come from.
    const [own, ...others] = this.tagsByPlace(request);
    const known = own && others.length === 0 ? ownTags(own, request) : undefined;
    const part = taken(request.machine_count, this.#dearest(request));
    return reservesText({ tags, parts: [known ? { ...part, tags: known.tags } : part] });
  }

  /** The different tags that machines of a request may get at the places that may serve it. */
  tagsByPlace({ template, variants, preference = {}, ...request }: NewRequest): readonly Tags[] {
    return this.#tagged ? this.#valuation.tagsByPlace(placedBy(template, variants), preference, request) : [];
  }

  /**
   * The reservation of a request with its orders and machines: machines that live with their type and price, those on
   * the way as the dearest of their order, and those that are not ordered as the dearest that may come, but with no
   * more than the request has left of what it reserved before: the order asks for the rest, under the conditions of
   * the budgets. A machine counts until it is gone, with the tags of its order. Machines that are not ordered have the
   * tags with which the request reserved for them before, so that no budget counts more without being asked.
   * Undefined: nothing is reserved. Derived from the records alone.
   * `excluded`: instances that the request does not use any more.
   */
  of(
    { request, attempts, machines }: Omit<RequestState, 'signals'>,
    excluded: ReadonlyMap<string, unknown>,
  ): string | undefined {
    const { template } = request;
    if (request.kind === 'return' || !template) return undefined;
    const orders = new Map(attempts.map((attempt) => [attempt.attempt, attempt]));
    const orderWorth = (number: number): Worth => {
      const attempt = orders.get(number);
      if (!attempt) return unknownWorth;
      const { provider_instance, order } = attempt;
      return this.#valuation.ofOrder(provider_instance, order.template, order.offers);
    };
    const tagsOf = (order: AttemptRecord['order'] | undefined) => order && ownTagsOfOrder(order, request);
    const parts = new Parts();
    for (const { attempt, provider_instance, market, machine_type, usd_per_hour, count } of machines.living()) {
      if (count === 0) continue;
      // What a report lacks yet is at most what the order allows.
      const worth = orderWorth(attempt);
      const known = amountsOf(this.#valuation.vcpusOf(provider_instance, machine_type), usd_per_hour);
      const place = { provider_instance, market: market ?? worth.market, tags: tagsOf(orders.get(attempt)?.order) };
      parts.add(place, unrounded(count, { ...worth, ...known }));
    }
    for (const attempt of attempts) {
      const { incoming, replacing } = arrivalsOf(attempt, { request, machines });
      if (incoming + replacing === 0) continue;
      const worth = orderWorth(attempt.attempt);
      const { provider_instance } = attempt;
      parts.add(
        { provider_instance, market: worth.market, tags: tagsOf(attempt.order) },
        unrounded(incoming + replacing, worth),
      );
    }
    const { missing } = isTerminal(request.status) ? { missing: 0 } : tally({ request, attempts, machines });
    if (missing > 0) {
      const worth = this.#dearest({ ...request, template }, excluded);
      let open = missing;
      for (const [tags, left] of leftByTags(reservationOf(request.reserves).parts, parts.all())) {
        const machines = Math.max(0, Math.min(open, left.machines));
        open -= machines;
        parts.add({ tags }, withinLeft(taken(machines, worth), left, this.#unknownPrice));
      }
    }
    const all = parts.all().filter(({ machines }) => machines > 0);
    return all.length === 0 ? undefined : reservesText({ tags: tagsOfRequest(request), parts: all });
  }

  /**
   * The dearest machine that may come for a request. Where no budget depends on what a machine is worth, plugins are
   * not asked for their offers: a new request is valued in the thread that serves HTTP.
   */
  #dearest(
    { template, variants, preference = {} }: Pick<NewRequest, 'template' | 'variants' | 'preference'>,
    excluded?: ReadonlyMap<string, unknown>,
  ): Worth {
    if (!this.#valued) return unknownWorth;
    return this.#valuation.ofRequest(placedBy(template, variants), preference, excluded);
  }
}

/** What a new request reserves by. */
export type NewRequest = Pick<
  RequestRecord,
  'variants' | 'machine_count' | 'tags' | 'additional_data' | 'preference'
> & { readonly template: Template };

const placedBy = (template: Template, variants: NewRequest['variants']): Placed => ({
  template,
  ...(variants ? { variants } : {}),
});

/** What is left of an earlier reservation, by the own tags of the machines, the usual tags first. */
function leftByTags(
  before: readonly ReservedPart[],
  now: readonly ReservedPart[],
): readonly (readonly [OwnTags | undefined, Reserved])[] {
  const left = new Map<string, readonly [OwnTags | undefined, Reserved]>([['', [undefined, nothingReserved]]]);
  const change = ({ tags }: ReservedPart, by: (sum: Reserved) => Reserved) => {
    const text = tags ? JSON.stringify(tags) : '';
    const [own, sum] = left.get(text) ?? [tags && { tags, text }, nothingReserved];
    left.set(text, [own, by(sum)]);
  };
  for (const part of before) change(part, (sum) => plus(sum, part));
  for (const part of now) change(part, (sum) => minus(sum, part));
  return [...left].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/**
 * What missing machines reserve: `most`, or what is `left` of an earlier reservation where that is less. An amount and
 * the number of machines without it are known together. What becomes known replaces what was not: budgets refuse
 * machines of which it is not known, or take `unknownPrice` for it.
 */
function withinLeft(most: Reserved, left: Reserved, unknownPrice: number): Reserved {
  const machines = Math.max(0, Math.min(most.machines, left.machines));
  const share = (amount: number) => Math.max(0, Math.floor((amount * machines) / Math.max(1, left.machines)));
  const fits = (amount: number, earlier: number, learned: number, worth: number) =>
    learned >= 0 && amount <= earlier + (learned === 0 ? 0 : learned * worth);
  const isSized = fits(most.vcpus, left.vcpus, left.unsized - most.unsized, Infinity);
  const isPriced = fits(most.microusd, left.microusd, left.unpriced - most.unpriced, unknownPrice);
  return {
    machines,
    vcpus: isSized ? most.vcpus : share(left.vcpus),
    microusd: isPriced ? most.microusd : share(left.microusd),
    unsized: isSized ? most.unsized : share(left.unsized),
    unpriced: isPriced ? most.unpriced : share(left.unpriced),
  };
}

/** Where machines come from, as far as budgets count by it. */
interface Place {
  readonly provider_instance?: string;
  readonly market?: ReservedPart['market'];
  readonly tags: OwnTags | undefined;
}

/** Sums by place, in a fixed order. Parts of a vCPU are rounded up for each sum. */
class Parts {
  readonly #parts = new Map<string, ReservedPart>();

  add({ provider_instance, market, tags }: Place, more: Reserved): void {
    const key = `${JSON.stringify([provider_instance ?? null, market ?? null])}${tags?.text ?? ''}`;
    const place = {
      ...(provider_instance === undefined ? {} : { provider_instance }),
      ...(market === undefined ? {} : { market }),
      ...(tags === undefined ? {} : { tags: tags.tags }),
    };
    this.#parts.set(key, { ...place, ...plus(this.#parts.get(key) ?? nothingReserved, more) });
  }

  all(): readonly ReservedPart[] {
    return [...this.#parts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => ({ ...part, ...whole(part) }));
  }
}
