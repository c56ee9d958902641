import type { BrokerError } from '../contract/errors.ts';
import type { Finding } from '../contract/findings.ts';
import type { Health } from '../model/health.ts';
import type { Measured } from '../model/measured.ts';
import { variantFor, type Placed, type Template } from '../model/template.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { ProviderApi } from '../contract/provider/provider-api.ts';
import type { ProviderType } from '../contract/provider/provider-type.ts';
import type { MachineType, OfferTerms, Places } from '../contract/provider/resources.ts';
import type { MachineRef } from '../contract/provider/orders-and-reports.ts';
import type { Offer, Shortfall } from '../model/shortfall.ts';
import { PluginFailure, type AskingParts } from './guard/asking.ts';
import { ElsewhereInstances } from './elsewhere-instances.ts';
import { PluginAnswers } from './plugin-answers.ts';
import { unknownProvider } from '../selection/unknown-provider.ts';
import type { BrokerHealth } from './broker-facts.ts';
import type { Facts, OfferShortfall } from './facts.ts';

/** The offers for a template at an instance. */
export interface TemplateOffers {
  /** Best first. Undefined when the API has no offers to select from. */
  readonly offers: readonly Offer[] | undefined;
  /** The offers that lacked capacity recently, by key. */
  readonly shortfalls: ReadonlyMap<string, OfferShortfall>;
  /** Why the plugin failed to list its offers. */
  readonly trouble?: Shortfall;
}

export interface DirectoryParts extends AskingParts {
  /** Whether calls to an instance are paused now; with a template: calls for requests of this template. */
  quarantined(instance: string, template_id?: string): boolean;
  /** The health that decisions depend on. Default: that over all live brokers. */
  health(instance: string): Health;
}

/**
 * The configured provider instances, their APIs and their stored state. Calls no provider: health and capacity are
 * facts that the loop stored. When a plugin throws or returns an invalid value, the instance counts as unable to serve
 * the template in question.
 */
export class ProviderDirectory {
  readonly instances: readonly ProviderInstance[];
  readonly quarantined: DirectoryParts['quarantined'];
  readonly health: DirectoryParts['health'];
  readonly #types: ReadonlyMap<string, ProviderType<any, any>>;
  readonly #apis: ReadonlyMap<string, readonly ProviderApi[]>;
  readonly #facts: Facts;
  readonly #answers: PluginAnswers;
  readonly #allApis: readonly ProviderApi[];
  readonly #elsewhere: ElsewhereInstances;
  // By instance object: the defaults of an instance of another broker may change.
  readonly #reviews = new WeakMap<Template, Map<ProviderInstance, readonly Finding[]>>();
  readonly #seen = new WeakMap<Template, Map<ProviderInstance, Template>>();

  constructor(
    instances: readonly ProviderInstance[],
    types: readonly ProviderType<any, any>[],
    apis: readonly ProviderApi[],
    facts: Facts,
    {
      quarantined = () => false,
      health = (instance) => facts.health(instance),
      ...asking
    }: Partial<DirectoryParts> = {},
  ) {
    this.instances = instances;
    this.#facts = facts;
    this.quarantined = quarantined;
    this.health = health;
    this.#answers = new PluginAnswers(asking);
    this.#types = new Map(types.map((type) => [type.type, type]));
    this.#allApis = apis;
    this.#elsewhere = new ElsewhereInstances(instances, facts);
    this.#apis = new Map(instances.map((instance) => [instance.name, this.#offered(instance, apis)]));
  }

  /** The instance with this name in the configuration of this broker. */
  instance(name: string): ProviderInstance | undefined {
    return this.instances.find((instance) => instance.name === name);
  }

  /** The instances that requests may be given: the configured ones, and those that only other live brokers have. */
  get selectable(): readonly ProviderInstance[] {
    const elsewhere = this.#elsewhere.all;
    return elsewhere.length === 0 ? this.instances : [...this.instances, ...elsewhere.map(({ instance }) => instance)];
  }

  /** The instances that only brokers had that ended within the last minutes. They may come back. */
  get absent(): readonly ProviderInstance[] {
    const { absent } = this.#elsewhere;
    return absent.size === 0 ? [] : [...absent.values()].map(({ instance }) => instance);
  }

  /** The configured instance with this name. Throws PROVIDER_NOT_FOUND. */
  require(name: string): ProviderInstance {
    return this.#known(name, this.instance(name));
  }

  /** As `require`, also for an instance that only another live broker has. */
  requireSelectable(name: string): ProviderInstance {
    return this.#known(name, this.#selectable(name));
  }

  #selectable(name: string): ProviderInstance | undefined {
    return this.instance(name) ?? this.#elsewhere.named(name)?.instance;
  }

  #known(name: string, found: ProviderInstance | undefined): ProviderInstance {
    if (found) return found;
    throw this.unknown(name);
  }

  /** The error for a name that is not configured. */
  unknown(name: string): BrokerError {
    const known = this.selectable.map((instance) => instance.name);
    return unknownProvider(name, known);
  }

  type(instance: ProviderInstance): ProviderType<any, any> | undefined {
    return this.#types.get(instance.type);
  }

  /** The APIs of an instance, preferred first. Of an instance that another broker has: those with a plugin here. */
  apis(instance: string): readonly ProviderApi[] {
    const configured = this.#apis.get(instance);
    if (configured) return configured;
    const elsewhere = this.#elsewhere.described(instance);
    return (elsewhere?.apis ?? []).flatMap(
      (name) => this.#allApis.find((api) => api.type === elsewhere?.instance.type && api.name === name) ?? [],
    );
  }

  /** The names of the APIs of an instance, preferred first. */
  apiNames(instance: string): readonly string[] {
    return this.#elsewhere.described(instance)?.apis ?? this.apis(instance).map(({ name }) => name);
  }

  /** The API with which an instance serves a template; undefined when the instance does not offer the required API. */
  apiOf(template: Template, instance: string): ProviderApi | undefined {
    const known = this.instance(instance) ?? this.#elsewhere.described(instance)?.instance;
    const required = this.namedApi(known ? this.templateFor(template, known) : template);
    return required === undefined ? this.apis(instance)[0] : this.apis(instance).find((api) => api.name === required);
  }

  /**
   * The API that a template requires; undefined when any API is allowed. The name of a provider type allows any API of
   * the instance.
   */
  namedApi({ provider_api }: Template): string | undefined {
    return provider_api === undefined || this.#types.has(provider_api) ? undefined : provider_api;
  }

  /** Whether an enabled instance may serve a template according to the configuration of a broker. Ignores the present health. */
  mayServe(placed: Placed): boolean {
    return this.selectable.some((instance) => this.mayServeAt(placed, instance));
  }

  /** As `mayServe`, for one instance. */
  mayServeAt(placed: Placed, instance: ProviderInstance): boolean {
    const { provider_name, provider_type } = placed.template;
    const { name, type, enabled } = instance;
    if (!enabled || (placed.variants ? !Object.hasOwn(placed.variants, name) : (provider_name ?? name) !== name))
      return false;
    const template = variantFor(placed, name);
    const served = (provider_type ?? type) === type && this.apiOf(template, name) !== undefined;
    return served && this.templateFor(template, instance).max_instances !== 0;
  }

  /**
   * The template with the defaults of an instance. The template overrides the defaults. A template that requires no
   * API gets the API of the defaults.
   */
  templateFor(template: Template, instance: ProviderInstance): Template {
    let known = this.#seen.get(template);
    if (!known) this.#seen.set(template, (known = new Map()));
    let seen = known.get(instance);
    if (!seen) {
      // Defaults of an instance must not select the instance.
      const { provider_name: _name, provider_type: _type, ...defaults } = instance.template_defaults;
      const { provider_api } = defaults;
      const api = provider_api === undefined || this.namedApi(template) !== undefined ? {} : { provider_api };
      known.set(instance, (seen = { ...defaults, ...template, ...api } as Template));
    }
    return seen;
  }

  /** The findings of the API that would serve a template at an instance. Cached, because templates are frozen. */
  review(template: Template, instance: ProviderInstance): readonly Finding[] {
    let known = this.#reviews.get(template);
    if (!known) this.#reviews.set(template, (known = new Map()));
    let findings = known.get(instance);
    if (!findings) {
      const api = this.apiOf(template, instance.name);
      const answer = this.#answers.review(this.templateFor(template, instance), instance.name, api);
      // A failed review is not cached, because the next one may succeed.
      if (answer instanceof PluginFailure) return [{ level: 'error', path: '', message: answer.fault.message }];
      findings = answer;
      known.set(instance, findings);
    }
    return findings;
  }

  /**
   * The machine type of a template, according to the instance or type that it names, else to the preferred instance.
   */
  machineTypeOf(template: Template): MachineType | undefined {
    const named =
      this.instance(template.provider_name ?? '')?.type ?? template.provider_type ?? this.instances[0]?.type;
    const instance =
      this.instances.find(({ name }) => name === template.provider_name) ??
      this.instances.find(({ type }) => type === named);
    const known = (name: string) => instance && this.#facts.machineType(instance.name, name);
    const type = this.#types.get(named ?? '');
    if (!type) return undefined;
    const seen = instance ? this.templateFor(template, instance) : template;
    const answer = this.#answers.machineType(seen, instance?.name ?? '', type, known);
    return answer instanceof PluginFailure ? undefined : answer;
  }

  /**
   * What machines of the offers take of a budget at an instance, in their order. `template`: with the defaults of the
   * instance. Undefined: nothing is known, or the plugin failed.
   */
  offerTerms(
    offers: readonly Offer[],
    template: Template,
    instance: ProviderInstance,
  ): readonly OfferTerms[] | undefined {
    const type = this.#types.get(instance.type);
    if (!type || this.quarantined(instance.name, template.template_id)) return undefined;
    const known = (name: string) => this.#facts.machineType(instance.name, name);
    const answer = this.#answers.offerTerms(offers, template, instance, type, known);
    return answer instanceof PluginFailure ? undefined : answer;
  }

  /** When the machine types by which offers are valued were discovered. Undefined: they were not. */
  machineTypesAt(instance: string): number | undefined {
    return this.#facts.machineTypesAt(instance);
  }

  /** The number of vCPUs of a machine type at an instance. Undefined: not known. */
  vcpusOf(instance: string, machine_type: string): number | undefined {
    const known = this.#facts.machineType(instance, machine_type);
    if (known) return known.vcpus;
    const type = this.#types.get(this.instance(instance)?.type ?? '');
    if (!type) return undefined;
    const answer = this.#answers.machineType({ template_id: '', machine_type } as Template, instance, type, (name) =>
      this.#facts.machineType(instance, name),
    );
    return answer instanceof PluginFailure || answer?.name !== machine_type ? undefined : answer.vcpus;
  }

  /** The offers for a template at an instance, best first, with those that lacked capacity recently. */
  offersOf(template: Template, instance: ProviderInstance, api: ProviderApi): TemplateOffers {
    const offers = this.#answers.offers(this.templateFor(template, instance), instance.name, api);
    if (offers === undefined) return { offers, shortfalls: new Map() };
    // Without offers nothing can be ordered.
    if (offers instanceof PluginFailure) {
      const { kind, code, message } = offers.fault;
      return { offers: [], shortfalls: new Map(), trouble: { kind, code, message } };
    }
    const shortfalls = new Map<string, OfferShortfall>();
    for (const { key } of this.hasOfferShortfalls(instance.name) ? offers : []) {
      const shortfall = this.#facts.offerShortfall(instance.name, api.name, key);
      if (shortfall) shortfalls.set(key, shortfall);
    }
    return { offers, shortfalls };
  }

  /** The keys of those offers that stand for the pools of these machines. Empty when none is known. */
  offersOfMachines(
    instance: string,
    apiName: string,
    machines: readonly MachineRef[],
    offers: readonly Offer[] = [],
  ): ReadonlySet<string> {
    const api = this.apis(instance).find(({ name }) => name === apiName);
    const answer = api && this.#answers.offersOfMachines(machines, offers, instance, api);
    return answer instanceof PluginFailure || answer === undefined ? new Set() : answer;
  }

  /** The offer with a key at an API, as far as its plugin can tell. */
  offerNamed(instance: string, apiName: string, key: string): Offer {
    const api = this.apis(instance).find(({ name }) => name === apiName);
    const answer = api && this.#answers.offerNamed(key, instance, api);
    return answer instanceof PluginFailure || answer === undefined ? { key } : answer;
  }

  /** Whether any offer of the instance lacked capacity recently. Avoids computing the offers of a template. */
  hasOfferShortfalls(instance: string): boolean {
    return this.#facts.hasOfferShortfalls(instance);
  }

  /** The health of an instance, as each live broker that has it found. */
  healthByBroker(instance: string): readonly BrokerHealth[] {
    return this.#facts.healthByBroker(instance);
  }

  measured(instance: string): Measured {
    return this.#facts.measured(instance);
  }

  /** Instances that have living machines, and that no live broker has in its configuration. */
  missing(): readonly { readonly name: string; readonly type: string }[] {
    return this.#facts.missing().filter(({ name }) => this.#selectable(name) === undefined);
  }

  offerShortfalls(instance: string): readonly OfferShortfall[] {
    return this.#facts.offerShortfalls(instance);
  }

  /** The places of an instance: those that it reported, else those that its type derives from the configuration. */
  places(instance: ProviderInstance): Places {
    return this.#facts.places(instance.name) ?? this.#presumed(instance) ?? { regions: [], availability_zones: [] };
  }

  #presumed(instance: ProviderInstance): Places | undefined {
    const type = this.type(instance);
    const answer = type && this.#answers.presumedPlaces(instance, type);
    return answer instanceof PluginFailure ? undefined : answer;
  }

  #offered(instance: ProviderInstance, apis: readonly ProviderApi[]): readonly ProviderApi[] {
    const type = this.#types.get(instance.type);
    // The plugin of a quarantined instance is not asked which APIs it serves.
    const asked = type && !this.quarantined(instance.name) ? type : undefined;
    const served = apis.filter(
      (api) => api.type === instance.type && (!asked || this.#answers.serves(instance, asked, api.name) === true),
    );
    const rank = (api: ProviderApi) => {
      const place = type?.prefers?.indexOf(api.name) ?? -1;
      return place < 0 ? Infinity : place;
    };
    return served.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
  }
}
