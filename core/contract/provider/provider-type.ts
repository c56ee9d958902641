import type { Template } from '../../model/template.ts';
import type { ObjectSchema, ValueOf } from '../../schema/object-schema.ts';
import type { NoticeMessage } from '../notice.ts';
import type { AccountContents } from './account-contents.ts';
import type { Call, PluginContext } from './call.ts';
import type { ProviderCheck } from './provider-check.ts';
import type { ProviderSetup } from './provider-setup.ts';
import type { ProviderState } from './provider-state.ts';
import type { Offer } from '../../model/shortfall.ts';
import type { HostRef, MachineType, OfferTerms, OwnedResource, Places } from './resources.ts';

/**
 * Notices about machines that a provider sends on its own, for example over a queue. One process at a time receives
 * the notices of an instance. Each receipt is acknowledged after its effect is stored, so that a crash in between only
 * repeats the message. While the notices of an instance arrive, the core observes its machines at rest ten times less
 * often; when `receive` fails, it observes them as without notices, and tries again.
 *
 * @example
 * notices: {
 *   configured: (config) => config.queue !== undefined,
 *   receive: async (session, call) => (await session.queue.take(20_000, call.signal)).map(asMessage),
 *   acknowledge: async (session, receipts, call) => session.queue.remove(receipts, call.signal),
 * }
 */
export interface NoticeSource<Config = any, Session = any> {
  /** Whether an instance with this configuration has notices. Pure. */
  configured(config: Config): boolean;
  /**
   * Returns the next messages, at most 200. Without any it waits up to 20 s for one and then returns an empty list.
   * Messages that are not acknowledged come again after a minute at the latest. The message of a fault names the
   * remedy.
   */
  receive(session: Session, call: Call): Promise<readonly NoticeMessage[]>;
  /** Removes messages for good. Idempotent: an unknown receipt is a success. */
  acknowledge(session: Session, receipts: readonly string[], call: Call): Promise<void>;
}

/** A kind of cloud: its configuration, its sessions and its health check. */
export interface ProviderType<Config extends ObjectSchema = ObjectSchema, Session = any> {
  readonly type: string;
  /** Other names of this type in files and request bodies. */
  readonly aliases?: readonly string[];
  /**
   * Fields of `config` in a provider entry. Defaults, bounds, environment overrides, redaction and documentation come
   * from this schema.
   */
  readonly config: Config;
  /** Template fields that all APIs of this type share. */
  readonly fields?: ObjectSchema;
  /** The order of the APIs for a template that names none. Default: the order in which the plugins are loaded. */
  readonly prefers?: readonly string[];
  /**
   * Makes the session of one configured instance. Import SDKs here, not at the top of the file. Must not use the
   * network.
   */
  connect(config: ValueOf<Config>, context: PluginContext): Session | Promise<Session>;
  /**
   * Which cloud this session speaks to (account, region, endpoint). Stored with each attempt; the core only handles an
   * attempt through a session of the same identity. Default: the name of the instance.
   */
  identity?(session: Session, call: Call): Promise<string>;
  /**
   * One cheap call to the provider. Throws a ProviderFault when the provider does not answer. Default: a successful
   * `connect` counts as an answer.
   */
  check?(session: Session, call: Call): Promise<void>;
  close?(session: Session): Promise<void>;
  /**
   * What the session knows of itself: its rates and its credentials. Asked whenever an operator looks, so it must cost
   * little. Never names a secret. Pure, without a call to the provider. Default: nothing is shown.
   */
  state?(session: Session): ProviderState;
  /**
   * Whether this instance serves an API, for example by a switch in its config. Default: it serves all registered
   * APIs.
   */
  serves?(config: ValueOf<Config>, api: string): boolean;
  /** The regions and zones in which the provider has machines. The core caches the result. */
  places?(session: Session, call: Call): Promise<Places>;
  /** The places that follow from the configuration alone, for use until `places` answered. Pure. */
  presumedPlaces?(config: ValueOf<Config>): Places;
  /**
   * The machine type of a template; the first one where a template has several. `known` returns the machine types that
   * `machineTypes` listed so far; for other names the plugin may use built-in data. Pure.
   */
  machineTypeOf?(template: Template, known: (name: string) => MachineType | undefined): MachineType | undefined;
  /**
   * What one machine of each of the offers takes of a budget, in their order. Asked when a request is accepted, so it
   * must cost little. `known`: as for `machineTypeOf`. Pure. Default: nothing is known, and budgets in vCPUs and dollars
   * refuse the machines.
   */
  offerTerms?(
    offers: readonly Offer[],
    template: Template,
    config: ValueOf<Config>,
    known: (name: string) => MachineType | undefined,
  ): readonly OfferTerms[];
  /**
   * What templates can name: the networks, subnets, security groups, key pairs and images of the account, as they are
   * now. Called when a person asks, so it may take some seconds. A list that the account does not let the session read
   * is empty and named in `incomplete`; a fault means that nothing could be read. Changes nothing. Default: the
   * operation is refused.
   */
  discover?(session: Session, call: Call): Promise<AccountContents>;
  /**
   * What `muster doctor` checks at an instance of this type beyond its connection, in this order. Default: nothing.
   */
  readonly checks?: readonly ProviderCheck<Session>[];
  /** How `muster init` sets up an instance of this type, from what `discover` shows. Default: it cannot. */
  readonly setup?: ProviderSetup;
  /** All machine types of the provider. The core caches the result. */
  machineTypes?(session: Session, call: Call): AsyncIterable<MachineType>;
  /**
   * All resources in the cloud that carry the tags of this installation, for adoption and for discovery of orphans.
   * Default: neither is done.
   */
  owned?(session: Session, installation: string, call: Call): AsyncIterable<OwnedResource>;
  /**
   * Returns those of the given hosts that are coming up or running. The core asks about hosts that a caller names and
   * that no request knows. An answer that may be incomplete must be a fault. Default: the core reports nothing about
   * such hosts.
   */
  whichLive?(session: Session, hosts: readonly HostRef[], call: Call): Promise<readonly HostRef[]>;
  /** Notices about machines. Default: the core learns about machines from observations alone. */
  readonly notices?: NoticeSource<ValueOf<Config>, Session>;
  /**
   * Removes resources that `owned` listed and that no request knows. Idempotent: a resource that is already gone is a
   * success. Default: orphans are only reported.
   */
  remove?(session: Session, orphans: readonly OwnedResource[], call: Call): Promise<void>;
}

/** Infers Config and Session of a provider type. */
export function defineProviderType<C extends ObjectSchema, S>(type: ProviderType<C, S>): ProviderType<C, S> {
  return type;
}

export type SessionOf<T> = T extends ProviderType<any, infer S> ? S : never;
