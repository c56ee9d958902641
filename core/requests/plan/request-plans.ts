import type { Budget } from '../../budgets/budget.ts';
import { budgetChecks } from '../../budgets/budget-checks.ts';
import { budgetUse, type LimitUse } from '../../budgets/budget-use.ts';
import type { Budgets } from '../../budgets/budgets.ts';
import { refusals } from '../../contract/commits/refusals.ts';
import type { BrokerError } from '../../contract/errors.ts';
import type { BudgetCheck, Change, Store } from '../../contract/storage.ts';
import type { Price } from '../../model/cost/price.ts';
import { plus, reservationOf, reservesText } from '../../model/budget/reserved.ts';
import { reservedIn } from '../../model/budget/scope.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { Offer } from '../../model/shortfall.ts';
import type { ProviderDirectory } from '../../providers/directory.ts';
import type { OfferShortfall } from '../../providers/facts.ts';
import { fallbackOrder } from '../../reconciler/plan/fallback-order.ts';
import type { ProviderOption } from '../../reconciler/plan/provider-option.ts';
import type { OpenedRequest } from '../open-request.ts';

/** One offer in the order in which a request would use them. */
export interface PlannedOffer {
  readonly option: ProviderOption;
  /** Undefined: the API has no offers to select from. */
  readonly offer: Offer | undefined;
  /** Undefined: not known. */
  readonly price: Price | undefined;
  /** Set when the offer lacked capacity lately. */
  readonly shortfall: OfferShortfall | undefined;
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
    const over = await Promise.all(changes.flatMap((change) => (change.op === 'budget' ? this.#refusal(change) : [])));
    const options = fallbackOrder(request, this.#directory).options;
    const order = await Promise.all(options.flatMap((option) => this.#offers(option, request)));
    return {
      request,
      refusals: over.flatMap((refusal) => refusal ?? []),
      order,
      budgets: await this.#uses(request, order[0]),
      limit,
    };
  }

  async #limit(changes: readonly Change[]): Promise<RequestPlan['limit']> {
    const limit = changes.find((change) => change.op === 'limit');
    if (limit?.op !== 'limit') return undefined;
    const { template_id, machine_count, max } = limit;
    const holding = await this.#store.find('request', { where: { template_id, holds: { after: 0 } } });
    const held = holding.reduce((sum, { holds }) => sum + holds, 0);
    if (held + machine_count > max) throw refusals.overLimit(template_id, max, held, machine_count);
    return { max, held };
  }

  async #refusal(check: BudgetCheck): Promise<BrokerError | undefined> {
    return refusals.overBudget(check, plus(await this.#store.reserved(check.scope), check.bounds.asked));
  }

  #offers(option: ProviderOption, request: RequestRecord): readonly Promise<PlannedOffer>[] {
    const instance = this.#directory.instance(option.provider_instance);
    const offers = option.offers ?? [];
    const terms = instance && this.#directory.offerTerms(offers, option.template, instance);
    return (option.offers ?? [undefined]).map(async (offer, index) => ({
      option,
      offer,
      price: terms?.[index]?.price,
      shortfall: offer === undefined ? undefined : option.shortfalls.get(offer.key),
      over: await this.#overAt(option, offer, request),
    }));
  }

  /** The budgets of an instance or a market that have no room for the machines of one offer. */
  async #overAt(option: ProviderOption, offer: Offer | undefined, request: RequestRecord): Promise<BrokerError[]> {
    const local = this.#budgets.all.filter((budget) => isLocal(budget));
    if (local.length === 0) return [];
    const checks = budgetChecks(
      local,
      { template_id: request.template_id ?? '', after: this.#at(option, offer, request) },
      (name) => this.#budgets.ranMicrousd(name),
    );
    const found = await Promise.all(checks.map((check) => this.#refusal(check)));
    return found.flatMap((refusal) => refusal ?? []);
  }

  /** What all machines of the request would reserve if they were ordered at an offer. */
  #at(option: ProviderOption, offer: Offer | undefined, request: RequestRecord): string {
    const { template, provider_instance } = option;
    const { market, vcpus, microusd } = this.#budgets.valuation.ofOrder(provider_instance, template, offer && [offer]);
    const machines = request.machine_count;
    return reservesText({
      tags: reservationOf(request.reserves).tags,
      parts: [
        {
          provider_instance,
          market,
          machines,
          vcpus: machines * (vcpus ?? 0),
          microusd: machines * (microusd ?? 0),
          unsized: vcpus === undefined ? machines : 0,
          unpriced: microusd === undefined ? machines : 0,
        },
      ],
    });
  }

  async #uses(request: RequestRecord, first: PlannedOffer | undefined): Promise<readonly PlannedUse[]> {
    const { reserves, template_id } = request;
    const uses = this.#budgets.all.map(async (budget): Promise<readonly PlannedUse[]> => {
      // A budget of an instance or a market counts the machines when they are ordered there.
      const after = isLocal(budget) ? first && this.#at(first.option, first.offer, request) : reserves;
      const asked = reservedIn(budget.scope, { template_id, reserves: after });
      if (asked.machines === 0) return [];
      const present = await this.#store.reserved(budget.scope);
      const ran = this.#budgets.ranMicrousd(budget.name);
      const then = budgetUse(budget, plus(present, asked), ran);
      return budgetUse(budget, present, ran).map((use, index) => ({
        name: budget.name,
        ...use,
        after: then[index]?.used ?? use.used,
      }));
    });
    return (await Promise.all(uses)).flat();
  }
}

const isLocal = ({ scope }: Budget): boolean => scope.provider_instance !== undefined || scope.market !== undefined;
