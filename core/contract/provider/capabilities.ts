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

export const defaultCapabilities: Omit<Capabilities, 'machines_per_launch' | 'visible_within_ms' | 'token_valid_ms'> =
  {
    supports_spot: false,
    supports_on_demand: true,
    max_instances: 10_000,
    supported_fleet_types: [],
    offers_per_launch: 'many',
    late_release_ms: 60_000,
  };
