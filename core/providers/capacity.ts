import { markets, type Market } from '../model/market.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Offer } from '../model/shortfall.ts';
import { variantFor, type Placed, type Template } from '../model/template.ts';
import type { ProviderDirectory } from './directory.ts';
import type { OfferShortfall } from './facts.ts';
import { turn } from '../collections/turn.ts';

/** An offer of an instance, as selection sees it for any request. */
export interface KnownOffer {
  readonly provider_instance: string;
  readonly api: string;
  readonly key: string;
  /** As far as the offer says it. */
  readonly machine_type?: string;
  readonly zone?: string;
  readonly market?: Market;
  /** The templates that allow the offer, at most 20. */
  readonly template_ids: readonly string[];
  /** Absent: it did not lack capacity lately. */
  readonly shortfall?: OfferShortfall;
}

/** The most offers of an instance that are computed from templates; further templates are left out. */
const mostOffers = 5_000;
const mostTemplates = 20;
/** Between so many templates other work of the thread runs. */
const templatesAtOnce = 20;

/**
 * The offers that templates allow, and those that lacked capacity lately, by the memory that all brokers on the
 * storage share. Calls no provider.
 */
export class Capacity {
  readonly #providers: ProviderDirectory;
  /** By template, which never changes: its offers at each instance. */
  readonly #offers = new WeakMap<Template, Map<ProviderInstance, readonly Offer[]>>();

  constructor(providers: ProviderDirectory) {
    this.#providers = providers;
  }

  /**
   * Sorted by instance in the order of the configuration, then by type, zone, market and key. Computed in parts, so
   * that other calls are served meanwhile.
   */
  async offers(templates: readonly Placed[], only?: string): Promise<readonly KnownOffer[]> {
    const instances = this.#providers.selectable.filter(({ name }) => only === undefined || name === only);
    const found: KnownOffer[][] = [];
    for (const instance of instances) {
      const offers = await this.#at(instance, templates);
      await turn();
      found.push(sorted(offers));
    }
    return found.flat();
  }

  async #at(instance: ProviderInstance, templates: readonly Placed[]): Promise<readonly KnownOffer[]> {
    const { name } = instance;
    const zones = this.#providers.places(instance).zone_of ?? {};
    const known = new Map<string, { readonly api: string; readonly offer: Offer; readonly template_ids: string[] }>();
    for (const [index, placed] of templates.entries()) {
      if (known.size >= mostOffers) break;
      if (index % templatesAtOnce === 0) await turn();
      if (!this.#providers.mayServeAt(placed, instance)) continue;
      const template = variantFor(placed, name);
      const api = this.#providers.apiOf(template, name);
      if (!api || this.#providers.quarantined(name, template.template_id)) continue;
      for (const offer of this.#offersOf(template, instance)) {
        const each = known.get(`${api.name}|${offer.key}`);
        if (!each)
          known.set(`${api.name}|${offer.key}`, { api: api.name, offer, template_ids: [template.template_id] });
        else if (each.template_ids.length < mostTemplates) each.template_ids.push(template.template_id);
      }
    }
    const short = new Map(this.#providers.offerShortfalls(name).map((each) => [`${each.api}|${each.offer}`, each]));
    const others = [...short].flatMap(([id, { api, offer: key }]) =>
      known.has(id)
        ? []
        : [[id, { api, offer: this.#providers.offerNamed(name, api, key), template_ids: [] }] as const],
    );
    return [...known, ...others].map(([id, { api, offer, template_ids }]): KnownOffer => {
      const shortfall = short.get(id);
      return {
        provider_instance: name,
        api,
        key: offer.key,
        ...described(offer, zones),
        template_ids,
        ...(shortfall ? { shortfall } : {}),
      };
    });
  }

  #offersOf(template: Template, instance: ProviderInstance): readonly Offer[] {
    let known = this.#offers.get(template);
    if (!known) this.#offers.set(template, (known = new Map()));
    let offers = known.get(instance);
    if (!offers) {
      const api = this.#providers.apiOf(template, instance.name);
      const answer = api && this.#providers.offersOf(template, instance, api);
      // A plugin that failed is asked again.
      if (answer?.trouble) return [];
      known.set(instance, (offers = answer?.offers ?? []));
    }
    return offers;
  }
}

/** What an offer says about its machines. */
function described(
  { machine_type, zone, market, ...more }: Offer,
  zones: Readonly<Record<string, string>>,
): Pick<KnownOffer, 'machine_type' | 'zone' | 'market'> {
  const named = Object.values(more).flatMap((value) => (typeof value === 'string' ? (zones[value] ?? []) : []))[0];
  const where = typeof zone === 'string' ? zone : named;
  return {
    ...(typeof machine_type === 'string' ? { machine_type } : {}),
    ...(where === undefined ? {} : { zone: where }),
    ...(isMarket(market) ? { market } : {}),
  };
}

const isMarket = (value: unknown): value is Market => markets.includes(value as Market);

/** Fields that are absent come first. */
const placeOf = ({ machine_type, zone, market, key }: KnownOffer): string =>
  [machine_type, zone, market, key].join('\0');

function sorted(offers: readonly KnownOffer[]): KnownOffer[] {
  const placed = offers.map((offer) => ({ offer, place: placeOf(offer) }));
  const ordered = placed.toSorted((a, b) => (a.place < b.place ? -1 : Number(a.place > b.place)));
  return ordered.map(({ offer }) => offer);
}
