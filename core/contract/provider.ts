import type { ObjectSchema, ValueOf } from '../schema/object-schema.ts';
import type { Clock } from './clock.ts';
import type { FaultKind, ProviderFault } from './fault.ts';
import type { Finding } from './findings.ts';
import type { Log } from './log.ts';
import type { NoticeMessage } from './notice.ts';
import type { MachineStatus } from '../model/machine.ts';
import type { Market } from '../model/market.ts';
import type { Offer, Shortfall } from '../model/shortfall.ts';
import type { Template, TemplateOf } from '../model/template.ts';

/** One call that a plugin made to its provider, for the metrics. */
export interface ProviderCall {
  /**
   * The provider's name of the call, for example `RunInstances`. One of a small fixed set: never an id, a URL or a
   * message.
   */
  readonly action: string;
  readonly ms: number;
  /** The kind of the fault that ended the call. Absent: the provider answered. */
  readonly kind?: FaultKind;
}

/** What a provider type gets when it connects. */
export interface PluginContext {
  /** The configured name of this provider instance. */
  readonly instance: string;
  /**
   * Turns an endpoint of the configuration into a URL. `http(s)://` is returned unchanged; the plugin that registered
   * another scheme serves that scheme.
   */
  endpoint(url: string): Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * The random id of the installation, made once for each store. Tags with this id mark the resources of muster in a
   * cloud.
   */
  readonly installation: string;
  /**
   * Counts the calls that the plugin makes for this instance. The plugin records each call once, after it ended.
   * Absent: the metrics only count calls into the plugin.
   */
  readonly calls?: { record(call: ProviderCall): void };
}

/** The context of every call into a plugin. */
export interface Call {
  /** Aborts at the time-out, when the claim is lost, and at shutdown. */
  readonly signal: AbortSignal;
  /**
   * Throws ClaimLost when this process no longer holds the claim, and a fault when the call has ended (it was
   * answered, timed out or was aborted). The plugin calls `fence` synchronously before every request that changes the
   * cloud, and lets the error pass.
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

/** A resource in the cloud that carries the tags of an installation. */
export interface OwnedResource {
  readonly kind: 'machine' | 'container' | 'launch_template';
  readonly id: string;
  readonly request_id?: string;
  readonly attempt?: number;
  readonly created_at?: string;
  /** Only for machines: the report that `observe` would give. */
  readonly machine?: MachineReport;
}

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

/** What an API supports, and what the core must know to split orders and to wait. */
export interface Capabilities {
  /** The most machines of one order. The core splits a larger request into several orders. */
  readonly machines_per_launch: number;
  /** How long after its launch a machine may exist and still be missing from `observe`. */
  readonly visible_within_ms: number;
  /**
   * How long the same token gives the same result. 0: after a lost answer the request fails, and a person must decide.
   */
  readonly token_valid_ms: number;
  /** Default: false. */
  readonly supports_spot: boolean;
  /** Default: true. */
  readonly supports_on_demand: boolean;
  /** The most machines that one request can get through this API. Default: 10 000, the maximum of any request. */
  readonly max_instances: number;
  /** Default: empty, the API makes no fleets. */
  readonly supported_fleet_types: readonly string[];
  /** `one`: each order names exactly one offer. `many` (default): one order carries all remaining offers. */
  readonly offers_per_launch: 'one' | 'many';
  /**
   * How long a `release` that is still in flight may undo a newer one. 0 where a release only names machines, so that
   * a late release changes nothing. Default: 60 000, for fleets, whose target capacity a late release may overwrite.
   */
  readonly late_release_ms: number;
}

/** Capabilities as a plugin declares them. Three are mandatory, because no default of them is safe for every cloud. */
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
  /**
   * At most 64 characters of `[a-z0-9]`. Identifies the whole order: the same in every call for it. Only after a fault
   * with `token_spent` the next calls have another one, which begins with the first.
   */
  readonly token: string;
  /** At most `capabilities.machines_per_launch`. Counts machines, never units of capacity. */
  readonly machine_count: number;
  readonly template: TemplateOf<Fields>;
  /** Exactly one offer where `offers_per_launch` is `one`. Absent where the API has no `offers`. */
  readonly offers?: readonly Offer[];
  readonly tags: Readonly<Record<string, string>>;
  /** The result of `prepare`. Absent in `dispose` and `find` when `prepare` returned no result. */
  readonly prepared: Prepared;
}

export interface Launch<Handle extends object = any> {
  /** JSON. The core never reads its content. */
  readonly handle: Handle;
  readonly machines?: readonly MachineReport[];
  readonly shortfall?: readonly Shortfall[];
  /** No further machine will start without a new call. */
  readonly settled: boolean;
}

export interface Watched<Handle extends object = any> {
  readonly handle: Handle;
  readonly order: LaunchOrder<any, any>;
  /** Machines of this attempt that are not known to be gone; see `only_known`. */
  readonly known: readonly MachineRef[];
  /**
   * At the last observation no machine was incoming, and all known machines that shall stay were ready. Then it is
   * enough to check that the machines live.
   */
  readonly steady?: boolean;
  /**
   * Set for a large attempt at rest: the core only needs reports for the machines in `known`, which are to be
   * released. The core ignores everything else in the answer. An API may ignore the flag.
   */
  readonly only_known?: boolean;
}

export interface Observation<Handle extends object = any> {
  /** A known machine that is missing from this list counts as not seen, never as gone. */
  readonly machines: readonly MachineReport[];
  readonly settled: boolean;
  readonly shortfall?: readonly Shortfall[];
  /**
   * The provider keeps trying without effect; `shortfall` gives the reason for every offer. The core stops the attempt
   * with `to_come: 0` before it tries another offer or instance.
   */
  readonly stuck?: boolean;
  /** The new handle, if it changed. */
  readonly handle?: Handle;
}

export interface MachineReport {
  /** Never used twice in one instance, not even for the same host. */
  readonly machine_id: string;
  readonly status: MachineStatus;
  readonly name?: string;
  /** The address inside the network: IPv4, or IPv6 where the machine has no IPv4 address. */
  readonly private_ip?: string;
  readonly public_ip?: string;
  /** ISO 8601. */
  readonly launched_at?: string;
  /** The caller can use the machine: it runs, and its name and address are known. */
  readonly ready: boolean;
  /**
   * ISO 8601: when the cloud takes the machine back. null: the cloud does not take it back, even if an earlier report
   * had a time. Absent: not known.
   */
  readonly reclaim_at?: string | null;
  readonly message?: string;
  /** Which machine type of its template the machine has. */
  readonly machine_type?: string;
  /** How the machine is paid for. */
  readonly market?: Market;
  /**
   * Where the machine runs, as a zone of `places`: the part of the provider that fails as a whole. When an answer
   * lists no machine of a zone, the core treats none of the zone's machines as gone. Absent: the core cannot
   * distinguish an outage of a zone from machines that are gone.
   */
  readonly zone?: string;
  /** Data of the API, for example a weight. Stored, and returned in MachineRef. */
  readonly data?: object;
}

export interface MachineRef {
  readonly machine_id: string;
  readonly status: MachineStatus;
  readonly launched_at?: string;
  readonly zone?: string;
  readonly data?: object;
}

/** The state that shall be reached. Absolute, so that a repeated call changes nothing. */
export interface ReleaseTarget {
  readonly go: readonly MachineRef[];
  readonly stay: readonly MachineRef[];
  /** How many more machines may still arrive. */
  readonly to_come: number;
}

export interface Progress {
  /** `false`: the core calls again after `again_ms` milliseconds (default 2 000). */
  readonly done: boolean;
  readonly again_ms?: number;
}

/**
 * One way of a cloud to provide machines. `launch`, `observe` and `release` are mandatory; all other members are
 * optional.
 */
export interface ProviderApi<
  Session = any,
  Fields extends ObjectSchema = any,
  Handle extends object = any,
  Prepared = any,
> {
  /** The provider type that the API belongs to. */
  readonly type: string;
  readonly name: string;
  /** Other names of this API in files and request bodies. */
  readonly aliases?: readonly string[];
  readonly capabilities: Capabilities;
  /** Template fields of this API beyond the common ones. */
  readonly fields?: Fields;
  /**
   * Creates or resolves everything that the launch refers to (launch template version, image id) and returns the exact
   * parameters of the launch. Idempotent by `order.token`. The core stores the result before it calls `launch`, and
   * does not call `prepare` again for this attempt.
   */
  prepare?(session: Session, order: LaunchOrder<Fields>, call: Call): Promise<Prepared>;
  /**
   * Executes one attempt. However often it is called, the same `order.token` never starts more than `machine_count`
   * machines. A launch that started a part of the order returns that part with a shortfall. It throws only where
   * nothing was started, or with `unknown-outcome`.
   */
  launch(session: Session, order: LaunchOrder<Fields, Prepared>, call: Call): Promise<Launch<Handle>>;
  /**
   * Returns one entry for each entry of `watched`, in the same order. A fault of one entry is returned as that entry,
   * not thrown. The core passes all due attempts of this instance and API in one call, so that the plugin can group
   * its describe calls.
   */
  observe(
    session: Session,
    watched: readonly Watched<Handle>[],
    call: Call,
  ): Promise<readonly (Observation<Handle> | ProviderFault)[]>;
  /**
   * Brings an attempt to the target. `go: []` with `to_come: 0` stops a launch. Idempotent: a machine that is already
   * gone is a success. `done` means that the provider accepted the target, and that no machines beyond `to_come` will
   * arrive.
   */
  release(session: Session, handle: Handle, target: ReleaseTarget, call: Call): Promise<Progress>;
  /**
   * Removes the rest of an attempt without machines: fleet, group, launch template. Also called with the order alone,
   * when no handle was ever stored.
   */
  dispose?(
    session: Session,
    left: { readonly order: LaunchOrder<Fields, Prepared | undefined>; readonly handle?: Handle },
    call: Call,
  ): Promise<Progress>;
  /**
   * Looks for the effect of an order whose answer was lost. `undefined` means that nothing is visible yet; this proves
   * nothing.
   */
  find?(session: Session, order: LaunchOrder<Fields, Prepared | undefined>, call: Call): Promise<Handle | undefined>;
  /**
   * Containers of this API (fleets, groups) that carry the tags of an installation, for discovery of orphans. Default:
   * none.
   */
  owned?(session: Session, installation: string, call: Call): AsyncIterable<OwnedResource>;
  /**
   * Removes containers that no request knows, so that they start no further machines; `remove` of the provider type
   * ends their machines. Idempotent.
   */
  remove?(session: Session, orphans: readonly OwnedResource[], call: Call): Promise<void>;
  /** Findings about fields of a template that this API cannot honor. Pure. */
  review?(template: TemplateOf<Fields>): readonly Finding[];
  /** The pools that a template allows, best first. Pure. Shortfalls name offers by the same key. */
  offers?(template: TemplateOf<Fields>): readonly Offer[];
}

/** Infers Config and Session of a provider type. */
export function defineProviderType<C extends ObjectSchema, S>(type: ProviderType<C, S>): ProviderType<C, S> {
  return type;
}
export type SessionOf<T> = T extends ProviderType<any, infer S> ? S : never;

/** A provider API as a plugin declares it. */
export type DeclaredProviderApi<Session, Fields extends ObjectSchema, Handle extends object, Prepared> = Omit<
  ProviderApi<Session, Fields, Handle, Prepared>,
  'capabilities'
> & { readonly capabilities: DeclaredCapabilities };

/**
 * Infers fields, handle and prepared, and adds the defaults of `capabilities`: `defineProviderApi<SessionOf<typeof
 * cloud>>()({…})`.
 */
export function defineProviderApi<S>() {
  return <F extends ObjectSchema, H extends object, P = undefined>(
    api: DeclaredProviderApi<S, F, H, P>,
  ): ProviderApi<S, F, H, P> => ({
    ...api,
    capabilities: { ...defaultCapabilities, ...api.capabilities },
  });
}
