import type { BrokerError } from '../contract/errors.ts';
import type { Finding } from '../contract/findings.ts';
import type { Health } from '../model/health.ts';
import type { Measured } from '../model/measured.ts';
import { variantFor, type Placed } from '../model/template.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Template } from '../model/template.ts';
import type { MachineType, Places, ProviderApi, ProviderType } from '../contract/provider.ts';
import type { Offer, Shortfall } from '../model/shortfall.ts';
import { Asking, Wrong, type AskingParts } from './guard/asking.ts';
import {
  answerOf,
  checkFindings as findingsAnswer,
  checkMachineType,
  checkOffers as offersAnswer,
  checkPlaces as placesAnswer,
  checkBoolean,
} from './answer-checks/answers.ts';
import { unknownProvider } from '../selection/unknown-provider.ts';
import type { Facts, Lack, LackingOffer } from './facts.ts';

/** What a template may be served with at an instance. */
export interface OffersOf {
  /** Best first; undefined when the API has none to choose from. */
  readonly offers: readonly Offer[] | undefined;
  /** Those that lacked capacity lately, by key. */
  readonly short: ReadonlyMap<string, Lack>;
  /** Why its plugin does not say what it offers. */
  readonly trouble?: Shortfall;
}

/**
 * The configured provider instances, what they offer and how they are. It touches no provider: health and capacity are facts that the loop stored. A plugin
 * that throws, or gives nonsense, where it is asked something counts as one that cannot serve what it was asked about.
 */
export class ProviderDirectory {
  readonly instances: readonly ProviderInstance[];
  readonly #types: ReadonlyMap<string, ProviderType<any, any>>;
  readonly #apis: ReadonlyMap<string, readonly ProviderApi[]>;
  readonly #facts: Facts;
  readonly #asking: Asking;
  readonly #reviews = new WeakMap<Template, Map<string, readonly Finding[]>>();
  readonly #seen = new WeakMap<Template, Map<string, Template>>();

  constructor(
    instances: readonly ProviderInstance[],
    types: readonly ProviderType<any, any>[],
    apis: readonly ProviderApi[],
    facts: Facts,
    asking: Partial<AskingParts> = {},
  ) {
    this.instances = instances;
    this.#facts = facts;
    this.#asking = new Asking(asking);
    this.#types = new Map(types.map((type) => [type.type, type]));
    this.#apis = new Map(instances.map((instance) => [instance.name, this.#offered(instance, apis)]));
  }

  instance(name: string): ProviderInstance | undefined {
    return this.instances.find((instance) => instance.name === name);
  }

  /** The instance of a name; refuses with PROVIDER_NOT_FOUND. */
  require(name: string): ProviderInstance {
    const found = this.instance(name);
    if (found) return found;
    throw this.unknown(name);
  }

  /** The refusal of a name that is not configured. */
  unknown(name: string): BrokerError {
    const known = this.instances.map((instance) => instance.name);
    return unknownProvider(name, known);
  }

  type(instance: ProviderInstance): ProviderType<any, any> | undefined {
    return this.#types.get(instance.type);
  }

  /** APIs of an instance, preferred first. */
  apis(instance: string): readonly ProviderApi[] {
    return this.#apis.get(instance) ?? [];
  }

  /** The API by which an instance serves a template; undefined when it does not offer it. */
  apiOf(template: Template, instance: string): ProviderApi | undefined {
    const configured = this.instance(instance);
    const wanted = this.namedApi(configured ? this.templateFor(template, configured) : template);
    return wanted === undefined ? this.apis(instance)[0] : this.apis(instance).find((api) => api.name === wanted);
  }

  /** The API that a template insists on. The name of a provider type means: whatever the instance prefers. */
  namedApi({ provider_api }: Template): string | undefined {
    return provider_api === undefined || this.#types.has(provider_api) ? undefined : provider_api;
  }

  /** Whether an enabled instance may serve a template, by what the configuration says of both; how the instance is at present does not matter. */
  mayServe(placed: Placed): boolean {
    const { provider_name, provider_type } = placed.template;
    return this.instances.some((instance) => {
      const { name, type, enabled } = instance;
      if (!enabled || (placed.variants ? !Object.hasOwn(placed.variants, name) : (provider_name ?? name) !== name)) return false;
      const template = variantFor(placed, name);
      const served = (provider_type ?? type) === type && this.apiOf(template, name) !== undefined;
      return served && this.templateFor(template, instance).max_instances !== 0;
    });
  }

  /** The template as an instance sees it: what it says over the instance's defaults. Where it leaves the API to the instance, the default names it. */
  templateFor(template: Template, instance: ProviderInstance): Template {
    let known = this.#seen.get(template);
    if (!known) this.#seen.set(template, (known = new Map()));
    let seen = known.get(instance.name);
    if (!seen) {
      // Which instance serves is not for an instance to say.
      const { provider_name: _name, provider_type: _type, ...defaults } = instance.template_defaults;
      const { provider_api } = defaults;
      const api = provider_api === undefined || this.namedApi(template) !== undefined ? {} : { provider_api };
      known.set(instance.name, (seen = { ...defaults, ...template, ...api } as Template));
    }
    return seen;
  }

  /** What the API by which an instance would serve a template cannot honour in it. Templates are frozen, so each is reviewed once. */
  review(template: Template, instance: ProviderInstance): readonly Finding[] {
    let known = this.#reviews.get(template);
    if (!known) this.#reviews.set(template, (known = new Map()));
    let findings = known.get(instance.name);
    if (!findings) {
      const answer = this.#review(template, instance);
      // What failed may succeed: it is not kept.
      if (answer instanceof Wrong) return [{ level: 'error', path: '', message: answer.fault.message }];
      findings = answer;
      known.set(instance.name, findings);
    }
    return findings;
  }

  /** What the machines of a template are like: by the instance or type that it names, else by the preferred instance. */
  machineTypeOf(template: Template): MachineType | undefined {
    const named = this.instance(template.provider_name ?? '')?.type ?? template.provider_type ?? this.instances[0]?.type;
    const instance =
      this.instances.find(({ name }) => name === template.provider_name) ?? this.instances.find(({ type }) => type === named);
    const known = (name: string) => instance && this.#facts.machineType(instance.name, name);
    const type = this.#types.get(named ?? '');
    if (!type?.machineTypeOf) return undefined;
    const what = `machine type of '${template.template_id}' (${type.type})`;
    const seen = instance ? this.templateFor(template, instance) : template;
    const answer = this.#asking.ask(instance?.name ?? '', type, what, () => type.machineTypeOf?.(seen, known), answerOf(checkMachineType));
    return answer instanceof Wrong ? undefined : answer;
  }

  /** What a template may be served with at an instance, best first, and which of it lacked capacity lately. */
  offersOf(template: Template, instance: ProviderInstance, api: ProviderApi): OffersOf {
    const offers = this.#offers(template, instance, api);
    if (offers === undefined) return { offers, short: new Map() };
    // Without knowing what it offers nothing can be ordered.
    if (offers instanceof Wrong) {
      const { kind, code, message } = offers.fault;
      return { offers: [], short: new Map(), trouble: { kind, code, message } };
    }
    const short = new Map<string, Lack>();
    for (const { key } of this.anyWithoutCapacity(instance.name) ? offers : []) {
      const lack = this.#facts.withoutCapacity(instance.name, api.name, key);
      if (lack) short.set(key, lack);
    }
    return { offers, short };
  }

  /** Whether any offer of the instance lacked capacity lately: spares working out the offers of a template. */
  anyWithoutCapacity(instance: string): boolean {
    return this.#facts.anyWithoutCapacity(instance);
  }

  health(instance: string): Health {
    return this.#facts.health(instance);
  }

  measured(instance: string): Measured {
    return this.#facts.measured(instance);
  }

  /** Instances that machines live at and that are not configured. */
  missing(): readonly { readonly name: string; readonly type: string }[] {
    return this.#facts.missing().filter(({ name }) => this.instance(name) === undefined);
  }

  lackingOffers(instance: string): readonly LackingOffer[] {
    return this.#facts.lackingOffers(instance);
  }

  /** Where an instance has machines: as it said, else as its type presumes. */
  places(instance: ProviderInstance): Places {
    return this.#facts.places(instance.name) ?? this.#presumed(instance) ?? { regions: [], availability_zones: [] };
  }

  #presumed(instance: ProviderInstance): Places | undefined {
    const type = this.type(instance);
    if (!type?.presumedPlaces) return undefined;
    const call = () => type.presumedPlaces?.(instance.config);
    const answer = this.#asking.ask<Places | undefined>(instance.name, type, `presumed places of '${instance.name}'`, call, placesAnswer);
    return answer instanceof Wrong ? undefined : answer;
  }

  #review(template: Template, instance: ProviderInstance): readonly Finding[] | Wrong {
    const api = this.apiOf(template, instance.name);
    if (!api?.review) return [];
    const what = `review of template '${template.template_id}' for '${instance.name}' (${api.name})`;
    const call = () => api.review?.(this.templateFor(template, instance)) as readonly Finding[];
    return this.#asking.ask(instance.name, api, what, call, findingsAnswer);
  }

  #offers(template: Template, instance: ProviderInstance, api: ProviderApi): readonly Offer[] | undefined | Wrong {
    if (!api.offers) return undefined;
    const what = `offers of template '${template.template_id}' at '${instance.name}' (${api.name})`;
    const call = () => api.offers?.(this.templateFor(template, instance)) as readonly Offer[];
    return this.#asking.ask(instance.name, api, what, call, offersAnswer);
  }

  #offered(instance: ProviderInstance, apis: readonly ProviderApi[]): readonly ProviderApi[] {
    const type = this.#types.get(instance.type);
    const served = apis.filter((api) => api.type === instance.type && this.#serves(type, instance, api));
    const rank = (api: ProviderApi) => {
      const place = type?.prefers?.indexOf(api.name) ?? -1;
      return place < 0 ? Infinity : place;
    };
    return served.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
  }

  #serves(type: ProviderType<any, any> | undefined, instance: ProviderInstance, { name }: ProviderApi): boolean {
    // One that is left alone is not asked; nothing is ordered from it either.
    if (!type?.serves || this.#asking.quarantined(instance.name)) return true;
    const call = () => type.serves?.(instance.config, name) as boolean;
    const answer = this.#asking.ask(instance.name, type, `question whether '${instance.name}' serves ${name}`, call, checkBoolean);
    return answer instanceof Wrong ? false : answer;
  }

  /** Whether nothing of an instance may be called now; with a template: for its requests. */
  quarantined(instance: string, template_id?: string): boolean {
    return this.#asking.quarantined(instance, template_id);
  }
}
