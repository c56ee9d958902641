import type { ObjectSchema, ValueOf } from '../schema/object-schema.ts';
import type { Clock } from './clock.ts';
import type { FaultKind, ProviderFault } from './fault.ts';
import type { Finding } from './findings.ts';
import type { Log } from './log.ts';
import type { MachineStatus } from '../model/machine.ts';
import type { Market } from '../model/market.ts';
import type { Offer, Shortfall } from '../model/shortfall.ts';
import type { Template, TemplateOf } from '../model/template.ts';

/** One call that a plugin made to its provider, for the metrics. */
export interface ProviderCall {
  /** As the provider names it, e.g. `RunInstances`. One of a small fixed set: never an id, a URL or a message. */
  readonly action: string;
  readonly ms: number;
  /** The kind of the fault that it ended in. Absent: it was answered. */
  readonly kind?: FaultKind;
}

/** What a provider type gets when it connects. */
export interface PluginContext {
  /** The configured name of this provider instance. */
  readonly instance: string;
  /** Turns an endpoint of the configuration into a URL to call: `http(s)://` passes through, other schemes are served by the plugin that registered them. */
  endpoint(url: string): Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** Random, made once for a store: marks what is ours in a cloud. */
  readonly installation: string;
  /** Counts the calls that the plugin makes for this instance, each once it ended. Without it, only calls into the plugin are counted. */
  readonly calls?: { record(call: ProviderCall): void };
}

/** What every call into a plugin carries. */
export interface Call {
  /** Aborts at the time-out, at the loss of the claim and at shutdown. */
  readonly signal: AbortSignal;
  /**
   * Throws ClaimLost when this process no longer holds the claim, and a fault once the call is over: answered, timed out or told to end. Call it
   * synchronously before every request that changes the cloud, and let what it throws pass.
   */
  fence(): void;
  readonly log: Log;
}

export interface Places {
  readonly regions: readonly string[];
  readonly availability_zones: readonly string[];
}

export interface MachineType {
  readonly name: string;
  readonly vcpus: number;
  readonly cores: number;
  readonly memory_mib: number;
  readonly arch: string;
}

/** A host as a caller names it: by its id, or by its private name where the id is not known. */
export interface HostRef {
  readonly machine_id?: string;
  readonly name?: string;
}

/** Something in the cloud that carries an installation's tags. */
export interface OwnedResource {
  readonly kind: 'machine' | 'container' | 'launch_template';
  readonly id: string;
  readonly request_id?: string;
  readonly attempt?: number;
  readonly created_at?: string;
  /** For machines: as `observe` would report it. */
  readonly machine?: MachineReport;
}

/** A kind of cloud: how to configure it, connect to it and tell whether it answers. */
export interface ProviderType<Config extends ObjectSchema = ObjectSchema, Session = any> {
  readonly type: string;
  /** Other names of this type in files and bodies. */
  readonly aliases?: readonly string[];
  /** Fields of `config` in a provider entry. Defaults, bounds, environment overrides, redaction and documentation all come from here. */
  readonly config: Config;
  /** Template fields that all its APIs share. */
  readonly fields?: ObjectSchema;
  /** APIs in the order in which they are taken for a template that names none. Default: the order in which plugins are loaded. */
  readonly prefers?: readonly string[];
  /** Makes the session of one configured instance. SDKs are imported here, not at the top of the file. No network yet. */
  connect(config: ValueOf<Config>, context: PluginContext): Session | Promise<Session>;
  /**
   * Which cloud this session speaks to (account, region, endpoint). Stored with each attempt; the core touches an attempt only through
   * a session of the same identity. Default: the instance's name.
   */
  identity?(session: Session, call: Call): Promise<string>;
  /** One cheap question to the provider; throws a ProviderFault when it does not answer. Default: that it connects counts as an answer. */
  check?(session: Session, call: Call): Promise<void>;
  close?(session: Session): Promise<void>;
  /** Whether this instance serves an API, e.g. by a switch in its config. Default: all registered ones. */
  serves?(config: ValueOf<Config>, api: string): boolean;
  /** Where it has machines. Cached by the core. */
  places?(session: Session, call: Call): Promise<Places>;
  /** What is known of its places without asking anybody, until `places` was. Pure. */
  presumedPlaces?(config: ValueOf<Config>): Places;
  /**
   * The machine type that a template stands for (its first, where it has several). `known` gives what `machineTypes` said, as far as it was asked
   * yet; for the rest a plugin may bring its own knowledge. Pure.
   */
  machineTypeOf?(template: Template, known: (name: string) => MachineType | undefined): MachineType | undefined;
  /** All that the provider has. Cached by the core. */
  machineTypes?(session: Session, call: Call): AsyncIterable<MachineType>;
  /** Everything in the cloud that carries this installation's tags: for adoption and the orphan sweep. Default: neither is done. */
  owned?(session: Session, installation: string, call: Call): AsyncIterable<OwnedResource>;
  /**
   * Of hosts that callers name and no request knows, those that live: coming up or running. An answer that may be incomplete is a fault. Default:
   * nobody is asked about such hosts, and nothing is said of them.
   */
  whichLive?(session: Session, hosts: readonly HostRef[], call: Call): Promise<readonly HostRef[]>;
  /** Ends what `owned` listed and no request knows. Idempotent: what is gone is a success. Default: such things are only reported. */
  remove?(session: Session, orphans: readonly OwnedResource[], call: Call): Promise<void>;
}

/** What an API can do, and what the core must know to cut orders and to wait. */
export interface Capabilities {
  /** The most machines of one order. A request for more is cut into several orders. */
  readonly machines_per_launch: number;
  /** How long after its launch a machine may be missing from `observe` and yet exist. */
  readonly visible_within_ms: number;
  /** How long the same token gives the same result. 0: a lost answer ends the request for a person to decide. */
  readonly token_valid_ms: number;
  /** Default: false. */
  readonly supports_spot: boolean;
  /** Default: true. */
  readonly supports_on_demand: boolean;
  /** The most machines that one request can have through this API. Default: 10 000, the most of any request. */
  readonly max_instances: number;
  /** Default: empty, the API makes no fleets. */
  readonly supported_fleet_types: readonly string[];
  /** `one`: each order names exactly one offer. `many`, the default: one order carries all offers that are left. */
  readonly offers_per_launch: 'one' | 'many';
  /**
   * How long a `release` that is still on the wire may undo a newer one. 0 where releases only name machines, so that a
   * late one changes nothing. Default: 60 000 (the target of a fleet that arrives late).
   */
  readonly late_release_ms: number;
}

/** Capabilities as a plugin states them: three are mandatory, because no default of them is safe for every cloud. */
export type DeclaredCapabilities = Pick<Capabilities, 'machines_per_launch' | 'visible_within_ms' | 'token_valid_ms'> &
  Partial<Capabilities>;

const defaultCapabilities: Omit<Capabilities, 'machines_per_launch' | 'visible_within_ms' | 'token_valid_ms'> = {
  supports_spot: false,
  supports_on_demand: true,
  max_instances: 10_000,
  supported_fleet_types: [],
  offers_per_launch: 'many',
  late_release_ms: 60_000,
};

/** One order to one API. */
export interface LaunchOrder<Fields extends ObjectSchema = any, Prepared = undefined> {
  readonly request_id: string;
  readonly attempt: number;
  /** At most 64 characters of `[a-z0-9]`; stands for the whole order. */
  readonly token: string;
  /** At most `capabilities.machines_per_launch`. Machines, never units of capacity. */
  readonly machine_count: number;
  readonly template: TemplateOf<Fields>;
  /** Exactly one where `offers_per_launch` is `one`; absent where the API has no `offers`. */
  readonly offers?: readonly Offer[];
  readonly tags: Readonly<Record<string, string>>;
  /** What `prepare` returned; absent for `dispose` and `find` when it never did. */
  readonly prepared: Prepared;
}

export interface Launch<Handle extends object = any> {
  /** JSON; the core never looks inside. */
  readonly handle: Handle;
  readonly machines?: readonly MachineReport[];
  readonly shortfall?: readonly Shortfall[];
  /** No further machine will come by itself. */
  readonly settled: boolean;
}

export interface Watched<Handle extends object = any> {
  readonly handle: Handle;
  readonly order: LaunchOrder<any, any>;
  /** Machines of this attempt that are not known to be gone; see `only_known`. */
  readonly known: readonly MachineRef[];
  /** Nothing more was to come when it was last looked at, and all known machines that shall stay were ready: to see that they live is enough. */
  readonly steady?: boolean;
  /**
   * Of a large attempt at rest only `known` are asked about, those that are to go: others need not be looked for or reported,
   * and nothing but the machines of the answer is read. An API may answer as always.
   */
  readonly only_known?: boolean;
}

export interface Observation<Handle extends object = any> {
  /** A known machine that is not listed counts as not seen, never as gone. */
  readonly machines: readonly MachineReport[];
  readonly settled: boolean;
  readonly shortfall?: readonly Shortfall[];
  /**
   * It goes on trying by itself and yet gets nothing: `shortfall` says why for all that it may draw on. The core stops it, with `to_come: 0`,
   * before it tries elsewhere.
   */
  readonly stuck?: boolean;
  /** When it changed. */
  readonly handle?: Handle;
}

export interface MachineReport {
  /** Never used twice in one instance, not even for the same host. */
  readonly machine_id: string;
  readonly status: MachineStatus;
  readonly name?: string;
  readonly private_ip?: string;
  readonly public_ip?: string;
  /** ISO 8601. */
  readonly launched_at?: string;
  /** Usable by the caller: running, name and address known. */
  readonly ready: boolean;
  /** ISO 8601: the cloud takes it back then. null: nobody takes it back, whatever was said before; absent: nothing is known of it. */
  readonly reclaim_at?: string | null;
  readonly message?: string;
  /** Which of the machine types of its template it is. */
  readonly machine_type?: string;
  /** How it is paid for. */
  readonly market?: Market;
  /**
   * Where it runs, in the words of `places`: what an outage hits as a whole. An answer that lists none of the machines of a zone says of none of them that
   * it is gone. Absent: an outage of a part of the provider cannot be told from machines that are gone.
   */
  readonly zone?: string;
  /** Zone, weight …: stored, and handed back in MachineRef. */
  readonly data?: object;
}

export interface MachineRef {
  readonly machine_id: string;
  readonly status: MachineStatus;
  readonly launched_at?: string;
  readonly zone?: string;
  readonly data?: object;
}

/** What shall be. Absolute, so that saying it twice changes nothing. */
export interface ReleaseTarget {
  readonly go: readonly MachineRef[];
  readonly stay: readonly MachineRef[];
  /** How many more may still arrive. */
  readonly to_come: number;
}

export interface Progress {
  /** `false`: call me again after `again_ms` (default 2 000). */
  readonly done: boolean;
  readonly again_ms?: number;
}

/** One way of a cloud to hand out machines. Three verbs; all else is optional. */
export interface ProviderApi<Session = any, Fields extends ObjectSchema = any, Handle extends object = any, Prepared = any> {
  /** The provider type that it belongs to. */
  readonly type: string;
  readonly name: string;
  /** Other names of this API in files and bodies. */
  readonly aliases?: readonly string[];
  readonly capabilities: Capabilities;
  /** Template fields of this API beyond the common ones. */
  readonly fields?: Fields;
  /**
   * Creates or resolves what the launch refers to (launch template version, image id) and returns the exact parameters of the launch.
   * Idempotent by `order.token`. The result is stored before `launch` is called and never made again for this attempt.
   */
  prepare?(session: Session, order: LaunchOrder<Fields>, call: Call): Promise<Prepared>;
  /**
   * One attempt. The same `order.token` never starts more than `machine_count` machines, however often it is called. A launch that started a part
   * answers with it, and with a shortfall; it throws only where nothing was started, or `unknown-outcome`.
   */
  launch(session: Session, order: LaunchOrder<Fields, Prepared>, call: Call): Promise<Launch<Handle>>;
  /**
   * One entry for each entry of `watched`, in order; a fault in one is its entry, not a throw. The core hands over everything that is due
   * for this instance and API at once, so that describes can be grouped.
   */
  observe(session: Session, watched: readonly Watched<Handle>[], call: Call): Promise<readonly (Observation<Handle> | ProviderFault)[]>;
  /**
   * Brings a handle to its aim. `go: []` with `to_come: 0` stops a launch. Idempotent: a machine that is already gone is a success.
   * Done = the provider accepted it, and nothing beyond `to_come` arrives any more.
   */
  release(session: Session, handle: Handle, target: ReleaseTarget, call: Call): Promise<Progress>;
  /** Removes what is left when no machine remains: fleet, group, launch template. Also called with the order alone, when no handle ever came. */
  dispose?(
    session: Session,
    left: { readonly order: LaunchOrder<Fields, Prepared | undefined>; readonly handle?: Handle },
    call: Call,
  ): Promise<Progress>;
  /** After a lost answer: what the order is seen to have started. `undefined` = nothing seen yet, which proves nothing. */
  find?(session: Session, order: LaunchOrder<Fields, Prepared | undefined>, call: Call): Promise<Handle | undefined>;
  /** Containers of this API (fleets, groups) that carry an installation's tags, for the orphan sweep. Default: it keeps none. */
  owned?(session: Session, installation: string, call: Call): AsyncIterable<OwnedResource>;
  /** Takes containers away that no request knows, so that they start nothing more; their machines are ended apart. Idempotent. */
  remove?(session: Session, orphans: readonly OwnedResource[], call: Call): Promise<void>;
  /** What this API cannot honour in a template. Pure. */
  review?(template: TemplateOf<Fields>): readonly Finding[];
  /** The pools that a template allows, best first. Pure. Shortfalls name offers by the same key. */
  offers?(template: TemplateOf<Fields>): readonly Offer[];
}

/** Infers Config and Session of a provider type. */
export function defineProviderType<C extends ObjectSchema, S>(type: ProviderType<C, S>): ProviderType<C, S> {
  return type;
}
export type SessionOf<T> = T extends ProviderType<any, infer S> ? S : never;

/** A provider API as a plugin writes it. */
export type DeclaredProviderApi<Session, Fields extends ObjectSchema, Handle extends object, Prepared> = Omit<
  ProviderApi<Session, Fields, Handle, Prepared>,
  'capabilities'
> & { readonly capabilities: DeclaredCapabilities };

/** Infers fields, handle and prepared, and fills in the defaults of `capabilities`: `defineProviderApi<SessionOf<typeof cloud>>()({…})`. */
export function defineProviderApi<S>() {
  return <F extends ObjectSchema, H extends object, P = undefined>(api: DeclaredProviderApi<S, F, H, P>): ProviderApi<S, F, H, P> => ({
    ...api,
    capabilities: { ...defaultCapabilities, ...api.capabilities },
  });
}
