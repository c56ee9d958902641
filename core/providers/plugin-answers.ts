import type { Finding } from '../contract/findings.ts';
import type { ProviderApi } from '../contract/provider/provider-api.ts';
import type { ProviderState } from '../contract/provider/provider-state.ts';
import type { ProviderType } from '../contract/provider/provider-type.ts';
import type { MachineType, OfferTerms, Places } from '../contract/provider/resources.ts';
import type { MachineRef } from '../contract/provider/orders-and-reports.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Offer } from '../model/shortfall.ts';
import type { Template } from '../model/template.ts';
import {
  answerOf,
  checkBoolean,
  checkFindings,
  checkMachineType,
  checkOffers,
  checkOfferTerms,
  checkPlaces,
} from './answer-checks/answers.ts';
import { readProviderState } from './answer-checks/read-provider-state.ts';
import { Asking, PluginFailure, type AskingParts } from './guard/asking.ts';

/**
 * The checked answers of provider plugins that need no call to the provider. Each method returns what the plugin says,
 * or its failure, or the default for a plugin that lacks the function. The templates already have the defaults of the
 * instance.
 */
export class PluginAnswers {
  readonly #asking: Asking;

  constructor(parts: Partial<AskingParts>) {
    this.#asking = new Asking(parts);
  }

  /** The findings about a template. Default: none. */
  review(template: Template, instance: string, api: ProviderApi | undefined): readonly Finding[] | PluginFailure {
    if (!api?.review) return [];
    const what = `review of template '${template.template_id}' for '${instance}' (${api.name})`;
    return this.#asking.ask(instance, api, what, () => api.review?.(template) as readonly Finding[], checkFindings);
  }

  /** The offers for a template, best first. Default: undefined, the API has no offers to select from. */
  offers(template: Template, instance: string, api: ProviderApi): readonly Offer[] | PluginFailure | undefined {
    if (!api.offers) return undefined;
    const what = `offers of template '${template.template_id}' at '${instance}' (${api.name})`;
    return this.#asking.ask(instance, api, what, () => api.offers?.(template) as readonly Offer[], checkOffers);
  }

  /** The keys of the offers that stand for the pools of these machines. Default: undefined, it is not known. */
  offersOfMachines(
    machines: readonly MachineRef[],
    offers: readonly Offer[],
    instance: string,
    api: ProviderApi,
  ): ReadonlySet<string> | PluginFailure | undefined {
    const { offersOfMachine } = api;
    if (!offersOfMachine) return undefined;
    const what = `pools of machines at '${instance}' (${api.name})`;
    const call = () => {
      const found = machines.flatMap((machine) => offersOfMachine.call(api, machine, offers));
      return [...new Map(found.map((offer) => [offer.key, offer])).values()];
    };
    const answer = this.#asking.ask(instance, api, what, call, checkOffers);
    return answer instanceof PluginFailure ? answer : new Set(answer.map(({ key }) => key));
  }

  /** The offer with a key. Default: undefined. */
  offerNamed(key: string, instance: string, api: ProviderApi): Offer | PluginFailure | undefined {
    if (!api.offerNamed) return undefined;
    const check = (offer: Offer | undefined) => checkOffers(offer === undefined ? [] : [offer]);
    return this.#asking.ask(
      instance,
      api,
      `name of an offer at '${instance}' (${api.name})`,
      () => api.offerNamed?.(key),
      check,
    );
  }

  /** The machine type of a template. `known` finds a type that an instance reported. Default: undefined. */
  machineType(
    template: Template,
    instance: string,
    type: ProviderType<any, any>,
    known: (name: string) => MachineType | undefined,
  ): MachineType | PluginFailure | undefined {
    if (!type.machineTypeOf) return undefined;
    const what = `machine type of '${template.template_id}' (${type.type})`;
    const call = () => type.machineTypeOf?.(template, known);
    return this.#asking.ask(instance, type, what, call, answerOf(checkMachineType));
  }

  /** What machines of the offers take of a budget. Default: undefined, nothing is known. */
  offerTerms(
    offers: readonly Offer[],
    template: Template,
    { name, config }: ProviderInstance,
    type: ProviderType<any, any>,
    known: (name: string) => MachineType | undefined,
  ): readonly OfferTerms[] | PluginFailure | undefined {
    if (!type.offerTerms) return undefined;
    const what = `terms of the offers of '${template.template_id}' at '${name}'`;
    const call = () => type.offerTerms?.(offers, template, config, known) as readonly OfferTerms[];
    return this.#asking.ask(name, type, what, call, (answer) => checkOfferTerms(answer, offers.length));
  }

  /** The places that the type derives from the configuration of an instance. Default: undefined. */
  presumedPlaces(
    { name, config }: ProviderInstance,
    type: ProviderType<any, any>,
  ): Places | PluginFailure | undefined {
    if (!type.presumedPlaces) return undefined;
    const call = () => type.presumedPlaces?.(config);
    return this.#asking.ask<Places | undefined>(name, type, `presumed places of '${name}'`, call, checkPlaces);
  }

  /** What a session of the type knows of itself. Default: undefined. */
  state(instance: string, type: ProviderType<any, any>, session: unknown): ProviderState | PluginFailure | undefined {
    if (!type.state) return undefined;
    const call = () => readProviderState(type.state?.(session));
    return this.#asking.ask(instance, type, `state of '${instance}'`, call, () => undefined);
  }

  /** Whether an instance offers an API. Default: true. */
  serves({ name, config }: ProviderInstance, type: ProviderType<any, any>, api: string): boolean | PluginFailure {
    if (!type.serves) return true;
    const call = () => type.serves?.(config, api) as boolean;
    return this.#asking.ask(name, type, `question whether '${name}' serves ${api}`, call, checkBoolean);
  }
}
