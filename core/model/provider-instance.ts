/**
 * What discovery does with orphans. `off`: it does not look for them. `report`: it reports them. `terminate`: it ends
 * them after several sightings.
 */
export type SweepPolicy = 'off' | 'report' | 'terminate';

/** One configured provider: a type with its settings, ready to connect. */
export interface ProviderInstance {
  readonly name: string;
  readonly type: string;
  /** `false` only ends selection; living machines are still tracked and released. */
  readonly enabled: boolean;
  /** A lower number is preferred. */
  readonly priority: number;
  /**
   * The share among instances of equal priority, and in load balancing. 0: the instance is used only when it is named.
   */
  readonly weight: number;
  /** Validated by the schema of the provider type, with defaults and environment overrides. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Values of template fields for templates that do not set these fields. */
  readonly template_defaults: Readonly<Record<string, unknown>>;
  /** What discovery does with resources that carry the tags of this installation and that no request knows. */
  readonly sweep: SweepPolicy;
  readonly limits: { readonly max_instances_per_request: number; readonly max_concurrent_requests: number | null };
}
