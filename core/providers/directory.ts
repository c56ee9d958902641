import { BrokerError } from '../errors.ts';
import { isError, sentences, type Finding } from '../findings.ts';
import type { Health } from '../model/health.ts';
import type { Measured } from '../model/measured.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Template } from '../model/template.ts';
import type { MachineType, Places, ProviderApi, ProviderType } from '../provider.ts';
import type { Offer, Shortfall } from '../model/shortfall.ts';
import { Asking, Wrong, type AskingParts } from './asking.ts';
import {
  answerOf,
  findings as findingsAnswer,
  machineType,
  offers as offersAnswer,
  places as placesAnswer,
  yesOrNo,
} from './contract/answers.ts';
import type { Candidate, Selection, Strategy } from '../selection/candidate.ts';
import { select } from '../selection/select.ts';
import { unknownProvider } from '../selection/unknown-provider.ts';
import type { Facts, LackingOffer } from './facts.ts';

/** What a caller prefers, over what the template says. */
export interface Preference {
  readonly strategy?: Strategy;
  readonly provider_instance?: string;
  readonly provider_type?: string;
}

/**
 * The configured provider instances, what they offer and how they are. It touches no provider: health and capacity are facts that the loop stored. A plugin
 * that throws, or gives nonsense, where it is asked something counts as one that cannot serve what it was asked about.
 */
export class ProviderDirectory {
  readonly instances: readonly ProviderInstance[];
  readonly #types: ReadonlyMap<string, ProviderType<any, any>>;
  /** Own name by alias. */
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #apis: ReadonlyMap<string, readonly ProviderApi[]>;
  readonly #facts: Facts;
  readonly #asking: Asking;
  readonly #reviews = new WeakMap<Template, Map<string, readonly Finding[]>>();

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
    this.#aliases = new Map(types.flatMap(({ type, aliases = [] }) => aliases.map((alias) => [alias, type] as const)));
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
    const wanted = this.#wantedApi(template);
    return wanted === undefined ? this.apis(instance)[0] : this.apis(instance).find((api) => api.name === wanted);
  }

  /** Whether an enabled instance may serve a template, by what the configuration says of both; how the instance is at present does not matter. */
  mayServe(template: Template, openTo?: readonly string[]): boolean {
    const { provider_name, provider_type } = template;
    const named = openTo ?? (provider_name === undefined ? undefined : [provider_name]);
    return this.instances.some(
      ({ name, type, enabled }) =>
        enabled &&
        (named?.includes(name) ?? true) &&
        (provider_type === undefined || provider_type === type) &&
        this.apiOf(template, name) !== undefined,
    );
  }

  /** The template as an instance sees it: what it says over the instance's defaults. */
  templateFor(template: Template, instance: ProviderInstance): Template {
    return { ...instance.template_defaults, ...template } as Template;
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
    const answer = this.#asking.ask(instance?.name ?? '', type, what, () => type.machineTypeOf?.(template, known), answerOf(machineType));
    return answer instanceof Wrong ? undefined : answer;
  }

  /** Offers of a template at an instance that are worth trying now, best first; undefined when its API has no offers. */
  openOffers(template: Template, instance: ProviderInstance, api: ProviderApi) {
    const offers = this.#offers(template, instance, api);
    // Without knowing what it offers nothing can be ordered.
    if (offers instanceof Wrong) return [];
    return offers?.filter((offer) => this.#facts.withoutCapacity(instance.name, api.name, offer.key) === undefined);
  }

  /** Why the other offers of a template at an instance are not tried now: what was said when they lacked capacity. */
  skippedOffers(template: Template, instance: ProviderInstance, api: ProviderApi): readonly Shortfall[] {
    const offers = this.#offers(template, instance, api);
    if (offers instanceof Wrong) return [{ kind: offers.fault.kind, code: offers.fault.code, message: offers.fault.message }];
    if (!this.#facts.anyWithoutCapacity(instance.name)) return [];
    return (offers ?? []).flatMap(({ key }) => {
      const lacked = this.#facts.withoutCapacity(instance.name, api.name, key);
      return lacked ? [{ offer: key, kind: lacked.kind, code: lacked.code, message: `Not asked again yet: ${lacked.message}` }] : [];
    });
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

  candidates(template: Template): readonly Candidate[] {
    return this.instances.map((instance) => {
      const health = this.#facts.health(instance.name);
      return {
        name: instance.name,
        type: instance.type,
        enabled: instance.enabled,
        ...(health.status === 'unhealthy' ? { unhealthy: health.message ?? 'it does not answer' } : {}),
        priority: instance.priority,
        weight: instance.weight,
        apis: this.apis(instance.name).map((api) => api.name),
        max_instances_per_request: instance.limits.max_instances_per_request,
        without_capacity: this.#withoutCapacity(template, instance),
      };
    });
  }

  /**
   * Chooses for a template, among the instances that it is open to. The preference beats the template; refuses as `select` does, and with
   * TEMPLATE_INVALID when the API of the chosen instance cannot honour the template.
   */
  choose(template: Template, key: string, machineCount: number, preference: Preference = {}, openTo?: readonly string[]): Selection {
    const selection = this.select(template, key, machineCount, preference, openTo);
    this.#requireHonoured(template, selection.provider_instance);
    return selection;
  }

  /** As `choose`, whatever the chosen instance cannot honour. A preferred type that is not the template's is refused with PROVIDER_TYPE_MISMATCH. */
  select(template: Template, key: string, machineCount: number, preference: Preference = {}, openTo?: readonly string[]): Selection {
    const preferred = preference.provider_type && (this.#aliases.get(preference.provider_type) ?? preference.provider_type);
    requireOneType(template, preferred);
    // Balancing or choosing by API means not to take the one that the template names.
    const byTemplate = preference.strategy === undefined || preference.strategy === 'explicit';
    const provider_instance = preference.provider_instance ?? (byTemplate ? template.provider_name : undefined);
    const provider_type = preferred ?? template.provider_type;
    const provider_api = this.#wantedApi(template);
    return select(
      {
        key,
        machine_count: machineCount,
        ...(preference.strategy ? { strategy: preference.strategy } : {}),
        ...(provider_instance === undefined ? {} : { provider_instance }),
        ...(provider_type === undefined ? {} : { provider_type }),
        ...(provider_api === undefined ? {} : { provider_api }),
      },
      openTo ? this.candidates(template).filter(({ name }) => openTo.includes(name)) : this.candidates(template),
    );
  }

  #requireHonoured(template: Template, name: string): void {
    const instance = this.instance(name);
    const wrong = instance ? this.review(template, instance).filter(isError) : [];
    if (wrong.length === 0) return;
    const message = `Template '${template.template_id}' cannot be served by '${name}': ${sentences(wrong)}`;
    throw new BrokerError('TEMPLATE_INVALID', message, { template_id: template.template_id, provider_instance: name, findings: wrong });
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
    const answer = this.#asking.ask(instance.name, type, `question whether '${instance.name}' serves ${name}`, call, yesOrNo);
    return answer instanceof Wrong ? false : answer;
  }

  /** Whether nothing of an instance may be called now. */
  quarantined(instance: string): boolean {
    return this.#asking.quarantined(instance);
  }

  /** The API that a template insists on. The name of a provider type means: whatever the instance prefers. */
  #wantedApi(template: Template): string | undefined {
    const api = template.provider_api;
    return api === undefined || this.#types.has(api) ? undefined : api;
  }

  #withoutCapacity(template: Template, instance: ProviderInstance): boolean {
    if (!this.#facts.anyWithoutCapacity(instance.name)) return false;
    const api = this.apiOf(template, instance.name);
    return api !== undefined && this.openOffers(template, instance, api)?.length === 0;
  }
}

function requireOneType({ template_id, provider_type }: Template, preferred: string | undefined): void {
  if (preferred === undefined || provider_type === undefined || preferred === provider_type) return;
  const message = `Template '${template_id}' is for provider type '${provider_type}', not '${preferred}'.`;
  throw new BrokerError('PROVIDER_TYPE_MISMATCH', message, { template_id, requested_provider: preferred });
}
