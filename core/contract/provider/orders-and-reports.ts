import type { MachineStatus } from '../../model/machine.ts';
import type { Market } from '../../model/market.ts';
import type { Price } from '../../model/cost/price.ts';
import type { Offer, Shortfall } from '../../model/shortfall.ts';
import type { TemplateOf } from '../../model/template.ts';
import type { ObjectSchema } from '../../schema/object-schema.ts';

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
  /**
   * Only where the caller gave names: one for each machine. An API that can tell each machine its name at the launch
   * does so, as `MUSTER_MACHINE_NAME` in its environment, and reports it as `assigned_name`. An order of one machine
   * has its name also in `tags`, as `muster:name`. Other APIs tell the name that `observe` gets in `known`,
   * and report a machine as ready when that is done.
   */
  readonly names?: readonly string[];
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
   * with `incoming: 0` before it tries another offer or instance.
   */
  readonly stuck?: boolean;
  /** The new handle, if it changed. */
  readonly handle?: Handle;
}

/** What the provider says about a machine. `message` has at most 20 000 characters, other texts 1 000. */
export interface MachineReport {
  /** Never used twice in one instance, not even for the same host. At most 256 characters. */
  readonly machine_id: string;
  readonly status: MachineStatus;
  readonly name?: string;
  /** The name of the order that the machine was told at its launch. Absent: none, or the only one of the order. */
  readonly assigned_name?: string;
  /** The address inside the network: IPv4, or IPv6 where the machine has no IPv4 address. */
  readonly private_ip?: string;
  readonly public_ip?: string;
  /** ISO 8601. */
  readonly launched_at?: string;
  /**
   * ISO 8601, by the same clock as `launched_at`: when the machine began to end or to stop, and its use with it. Absent:
   * not known; then its use ends when the provider accepts its release, or when muster learns of its end.
   */
  readonly ended_at?: string;
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
   * What the machine costs while it runs. The first price that is reported of a machine is stored and stays. Absent:
   * not known, which is never treated as free.
   */
  readonly price?: Price;
  /**
   * Where the machine runs, as a zone of `places`: the part of the provider that fails as a whole. When an answer
   * lists no machine of a zone, the core treats none of the zone's machines as gone. Absent: the core cannot
   * distinguish an outage of a zone from machines that are gone.
   */
  readonly zone?: string;
  /** Data of the API, for example a weight. Stored, and returned in MachineRef. */
  readonly data?: object;
}

/** A machine as the core knows it. */
export interface MachineRef {
  readonly machine_id: string;
  readonly status: MachineStatus;
  /** The name that muster assigned to the machine, of a request with names. See `names` of LaunchOrder. */
  readonly assigned_name?: string;
  readonly launched_at?: string;
  readonly zone?: string;
  readonly market?: Market;
  /** ISO 8601: when the cloud takes the machine back, by a report or by a notice. */
  readonly reclaim_at?: string;
  readonly data?: object;
}

/** The state that shall be reached. Absolute, so that a repeated call changes nothing. */
export interface ReleaseTarget {
  readonly go: readonly MachineRef[];
  readonly stay: readonly MachineRef[];
  /** How many more machines may still arrive. */
  readonly incoming: number;
}

export interface Progress {
  /** `false`: the core calls again after `again_ms` milliseconds (default 2 000). */
  readonly done: boolean;
  readonly again_ms?: number;
}
