import { budgetChecks } from '../../budgets/budget-checks.ts';
import { budgetUse, type LimitUse } from '../../budgets/budget-use.ts';
import type { Budgets } from '../../budgets/budgets.ts';
import { taken } from '../../budgets/reservations.ts';
import { unknownWorth, worthOf, type Worth } from '../../budgets/valuation.ts';
import { refusals } from '../../contract/commits/refusals.ts';
import type { BrokerError } from '../../contract/errors.ts';
import type { BudgetCheck, Change, Store } from '../../contract/storage.ts';
import type { Price } from '../../model/cost/price.ts';
import { nothingReserved, plus, reservesText, type Reserved } from '../../model/budget/reserved.ts';
import { reservedIn, scopeKey, type BudgetScope } from '../../model/budget/scope.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { Offer } from '../../model/shortfall.ts';
import type { ProviderDirectory } from '../../providers/directory.ts';
import type { OfferShortfall } from '../../providers/facts.ts';
import { fallbackOrder } from '../../reconciler/plan/orders/fallback-order.ts';
import { tagsBy } from '../../reconciler/plan/machine-tags.ts';
import type { ProviderOption } from '../../reconciler/plan/orders/provider-option.ts';
import type { OpenedRequest } from '../open-request.ts';
import { turn } from '../../collections/turn.ts';

/** One offer in the order in which a request would use them. */
export interface PlannedOffer {
  readonly option: ProviderOption;
  /** Undefined: the API has no offers to select from. */
  readonly offer: Offer | undefined;
  /** Undefined: not known. */
  readonly price: Price | undefined;
  /** Set when the offer lacked capacity lately. */
  readonly shortfall: OfferShortfall | undefined;
  /** What all machines of the request would reserve there. */
  readonly reserves: string;
  /** The budgets that have no room for the machines there. */
  readonly over: readonly BrokerError[];
}

/** What is used of a limit of a budget, and what would be used with the request. */
export interface PlannedUse extends LimitUse {
  readonly name: string;
  readonly after: number;
}

/** What a request would do. */
export interface RequestPlan {
  readonly request: RequestRecord;
  /** Why the commit would be refused: all reasons. */
  readonly refusals: readonly BrokerError[];
  readonly order: readonly PlannedOffer[];
  readonly budgets: readonly PlannedUse[];
  /** Machines of the template that count against its maximum. Undefined: it has none. */
  readonly limit: { readonly max: number; readonly held: number } | undefined;
}

const requestsAtOnce = 200;

/** Finds out what a request would do. Reads only; calls no provider. */
export class RequestPlans {
  readonly #store: Store;
  readonly #directory: ProviderDirectory;
  readonly #budgets: Budgets;

  constructor(store: Store, directory: ProviderDirectory, budgets: Budgets) {
    this.#store = store;
    this.#directory = directory;
    this.#budgets = budgets;
  }

  /**
   * The plan of a request that is opened and not committed. Throws INSTANCE_LIMIT_EXCEEDED as the commit would, so
   * that another instance is tried.
   */
  async of({ request, changes }: OpenedRequest): Promise<RequestPlan> {
    const limit = await this.#limit(changes);
    const present = await this.#present(changes);
    const options = fallbackOrder(request, this.#directory).options;
    const order = options.flatMap((option) => this.#offers(option, request, present));
    return {
      request,
      refusals: changes.flatMap((change) => (change.op === 'budget' ? (refusalOf(change, present) ?? []) : [])),
      order,
      budgets: this.#uses(request, order[0], present),
      limit,
    };
  }

  /** The machines that count against the maximum of a template. They may be those of thousands of requests. */
  async #held(template_id: string): Promise<number> {
    let held = 0;
    for (let offset = 0; ; offset += requestsAtOnce) {
      const page = await this.#store.find('request', {
        where: { template_id, holds: { after: 0 } },
        order: [['created_at', 'asc']],
        limit: requestsAtOnce,
        offset,
      });
      held += page.reduce((sum, { holds }) => sum + holds, 0);
      if (page.length < requestsAtOnce) return held;
      await turn();
    }
  }

  /** What is reserved in each scope of a budget, read once: a template may have hundreds of offers. */
  async #present(changes: readonly Change[]): Promise<Present> {
    const scopes = [
      ...this.#budgets.all.map(({ scope }) => scope),
      ...changes.flatMap((change) => (change.op === 'budget' ? change.scope : [])),
    ];
    const distinct = new Map(scopes.map((scope) => [scopeKey(scope), scope]));
    const read = await Promise.all(
      [...distinct].map(async ([key, scope]) => [key, await this.#store.reserved(scope)] as const),
    );
    const sums = new Map(read);
    return (scope) => sums.get(scopeKey(scope)) ?? nothingReserved;
  }

  async #limit(changes: readonly Change[]): Promise<RequestPlan['limit']> {
    const limit = changes.find((change) => change.op === 'limit');
    if (limit?.op !== 'limit') return undefined;
    const { template_id, machine_count, max } = limit;
    const held = await this.#held(template_id);
    if (held + machine_count > max) throw refusals.overLimit(template_id, max, held, machine_count);
    return { max, held };
  }

  #offers(option: ProviderOption, request: RequestRecord, present: Present): readonly PlannedOffer[] {
    const { provider_instance } = option;
    const instance = this.#directory.instance(provider_instance);
    const terms = instance && option.offers && this.#directory.offerTerms(option.offers, option.template, instance);
    const tags = this.#matched(tagsBy(option.template, request));
    const known = new Map<string, Pick<PlannedOffer, 'reserves' | 'over'>>();
    const at = ({ market, ...amounts }: Worth): Pick<PlannedOffer, 'reserves' | 'over'> => {
      // What all machines of the request would reserve if they were ordered there. Many offers have equal terms.
      const parts = [{ provider_instance, market, ...taken(request.machine_count, amounts) }];
      const reserves = reservesText({ tags, parts });
      const before = known.get(reserves);
      if (before) return before;
      const found = { reserves, over: this.#overAt(reserves, request, present) };
      known.set(reserves, found);
      return found;
    };
    return (option.offers ?? [undefined]).map((offer, index) => {
      const given = terms?.[index];
      return {
        option,
        offer,
        price: given?.price,
        shortfall: offer === undefined ? undefined : option.shortfalls.get(offer.key),
        ...at(given ? worthOf(given) : unknownWorth),
      };
    });
  }

  /** The tags that a budget matches by. A request may have any number of others. */
  #matched(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const names = new Set(this.#budgets.all.flatMap(({ scope }) => Object.keys(scope.tags ?? {})));
    return Object.fromEntries(Object.entries(tags).filter(([name]) => names.has(name)));
  }

  /** The budgets of some places that have no room for the machines of one offer. */
  #overAt(after: string, request: RequestRecord, present: Present): readonly BrokerError[] {
    const { template_id } = request;
    const local = this.#budgets.all.filter(({ scope }) => countsLater(scope, request));
    if (local.length === 0) return [];
    const checks = budgetChecks(local, { template_id: template_id ?? '', after }, (name) =>
      this.#budgets.ranMicrousd(name),
    );
    return checks.flatMap((check) => refusalOf(check, present) ?? []);
  }

  #uses(request: RequestRecord, first: PlannedOffer | undefined, present: Present): readonly PlannedUse[] {
    const { reserves, template_id } = request;
    return this.#budgets.all.flatMap((budget): readonly PlannedUse[] => {
      const after = countsLater(budget.scope, request) ? first?.reserves : reserves;
      const asked = reservedIn(budget.scope, { template_id, reserves: after });
      if (asked.machines === 0) return [];
      const before = present(budget.scope);
      const ran = this.#budgets.ranMicrousd(budget.name);
      const then = budgetUse(budget, plus(before, asked), ran);
      return budgetUse(budget, before, ran).map((use, index) => ({
        name: budget.name,
        ...use,
        after: then[index]?.used ?? use.used,
      }));
    });
  }
}

/** A budget of some places, or of tags that machines get there, counts the machines when they are ordered there. */
const countsLater = (scope: BudgetScope, request: RequestRecord): boolean => reservedIn(scope, request).machines === 0;

/** What is reserved in the scope of a budget. */
type Present = (scope: BudgetScope) => Reserved;

const refusalOf = (check: BudgetCheck, present: Present): BrokerError | undefined =>
  refusals.overBudget(check, plus(present(check.scope), check.bounds.asked));
