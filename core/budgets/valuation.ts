import { variantFor, type Placed, type Template } from '../model/template.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import { sortedTags, type Tags } from '../model/budget/reserved.ts';
import type { Preference, RequestRecord } from '../model/request.ts';
import { tagsBy, tagsOfRequest } from '../reconciler/plan/machine-tags.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { OfferTerms } from '../contract/provider/resources.ts';
import type { Offer } from '../model/shortfall.ts';
import type { Market } from '../model/market.ts';
import { microusd } from './budget.ts';

/** What one machine takes of a budget at most. An absent amount is not known. */
export interface Worth {
  /** Containers have parts of one. */
  readonly vcpus?: number;
  /** Millionths of a dollar for an hour. */
  readonly microusd?: number;
  readonly market: Market | 'any';
}

/**
 * More than any machine has or costs in an hour, in vCPUs and in US dollars. A larger amount is a mistake of a plugin
 * or of a configuration. With it sums would leave the whole numbers that storages add up exactly: it counts as not
 * known.
 */
const mostVcpus = 100_000;
const mostUsdPerHour = 100_000;

/** The amounts of a machine as budgets count them. */
export const amountsOf = (vcpus: number | undefined, usd: number | undefined): Omit<Worth, 'market'> => ({
  ...(vcpus === undefined || vcpus > mostVcpus ? {} : { vcpus }),
  ...(usd === undefined || usd > mostUsdPerHour ? {} : { microusd: microusd(usd) }),
});

/** What a machine of an offer takes. */
export const worthOf = ({ market, vcpus, price }: OfferTerms): Worth => ({
  market: market ?? 'any',
  ...amountsOf(vcpus, price?.usd_per_hour),
});

/** Nothing is known of a machine. */
export const unknownWorth: Worth = { market: 'any' };

const none: ReadonlyMap<string, unknown> = new Map();

/** What was told of offers, by the machine types that were discovered then. Later ones may tell more. */
interface KnownWorth {
  readonly worth: Worth;
  readonly types_at: number | undefined;
}

/** What machines take of budgets, by what is known without a call to a provider. */
export class Valuation {
  readonly #directory: ProviderDirectory;
  readonly #ofTemplates = new WeakMap<Template, Map<ProviderInstance, Worth>>();
  readonly #ofOrders = new WeakMap<Template, WeakMap<readonly Offer[], KnownWorth>>();

  constructor(directory: ProviderDirectory) {
    this.#directory = directory;
  }

  /** The number of vCPUs of a machine type at an instance. Undefined: not known. */
  vcpusOf(instance: string, machine_type: string | undefined): number | undefined {
    return machine_type === undefined ? undefined : this.#directory.vcpusOf(instance, machine_type);
  }

  /**
   * The dearest machine that any instance may deliver for a request. Of an instance that only another broker has,
   * nothing is known here: it counts when its order is made there. Nothing is asked of an instance that is `excluded`,
   * or that is not called for the template now.
   */
  ofRequest(placed: Placed, preference: Preference, excluded: ReadonlyMap<string, unknown> = none): Worth {
    const worths = this.#places(placed, preference)
      .filter(({ name }) => !excluded.has(name) && !this.#directory.quarantined(name, placed.template.template_id))
      .flatMap((instance) =>
        this.#directory.instance(instance.name) ? this.#ofTemplate(variantFor(placed, instance.name), instance) : [],
      );
    return dearest(worths);
  }

  /** The different tags that machines of a request may get at the instances that may serve it. */
  tagsByPlace(
    placed: Placed,
    preference: Preference,
    request: Pick<RequestRecord, 'additional_data' | 'tags'>,
  ): readonly Tags[] {
    const { template, variants } = placed;
    const mayDiffer =
      variants !== undefined ||
      this.#directory.selectable.some(
        ({ template_defaults: { tags, additional_data_tags } }) => (tags ?? additional_data_tags) !== undefined,
      );
    if (!mayDiffer) return [tagsOfRequest({ ...request, template })];
    const found = this.#places(placed, preference).map((instance) =>
      sortedTags(tagsBy(this.#directory.templateFor(variantFor(placed, instance.name), instance), request)),
    );
    return [...new Map(found.map((tags) => [JSON.stringify(tags), tags])).values()];
  }

  /** The instances that may serve a request. */
  #places(placed: Placed, { provider_instance, provider_type }: Preference): readonly ProviderInstance[] {
    return this.#directory.selectable.filter(
      (instance) =>
        (provider_instance ?? instance.name) === instance.name &&
        (provider_type ?? instance.type) === instance.type &&
        this.#directory.mayServeAt(placed, instance),
    );
  }

  /** The dearest machine of an order. `template`: with the defaults of the instance. */
  ofOrder(instance: string, template: Template, offers: readonly Offer[] | undefined): Worth {
    const configured = this.#directory.instance(instance);
    if (!configured || !offers) return unknownWorth;
    let known = this.#ofOrders.get(template);
    if (!known) this.#ofOrders.set(template, (known = new WeakMap()));
    const before = known.get(offers);
    const types_at = this.#directory.machineTypesAt(instance);
    if (before && (isKnown(before.worth) || before.types_at === types_at)) return before.worth;
    const terms = this.#directory.offerTerms(offers, template, configured);
    const worth = dearest(terms?.map(worthOf) ?? []);
    if (terms) known.set(offers, { worth, types_at });
    return worth;
  }

  #ofTemplate(template: Template, instance: ProviderInstance): Worth {
    const seen = this.#directory.templateFor(template, instance);
    let known = this.#ofTemplates.get(seen);
    if (!known) this.#ofTemplates.set(seen, (known = new Map()));
    const before = known.get(instance);
    if (before) return before;
    const api = this.#directory.apiOf(template, instance.name);
    const offers = api && this.#directory.offersOf(template, instance, api).offers;
    const worth = offers ? this.#of(offers, seen, instance) : unknownWorth;
    // What is not known may be learned later.
    if (isKnown(worth)) known.set(instance, worth);
    return worth;
  }

  #of(offers: readonly Offer[], template: Template, instance: ProviderInstance): Worth {
    const terms = this.#directory.offerTerms(offers, template, instance);
    return dearest(terms?.map(worthOf) ?? []);
  }
}

const isKnown = ({ vcpus, microusd: price }: Worth): boolean => vcpus !== undefined && price !== undefined;

/** The most of each amount; what is not known of one is not known of all. */
function dearest(worths: readonly Worth[]): Worth {
  const [first, ...others] = worths;
  if (!first) return unknownWorth;
  return others.reduce<Worth>(
    (most, each) => ({
      market: most.market === each.market ? most.market : 'any',
      ...(most.vcpus === undefined || each.vcpus === undefined ? {} : { vcpus: Math.max(most.vcpus, each.vcpus) }),
      ...(most.microusd === undefined || each.microusd === undefined
        ? {}
        : { microusd: Math.max(most.microusd, each.microusd) }),
    }),
    first,
  );
}
