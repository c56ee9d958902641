/** `off`: nobody looks for them. `report`: they are told. `terminate`: they are ended after several sightings. */
export type SweepPolicy = 'off' | 'report' | 'terminate';

/** One configured provider: a type with its settings, ready to connect. */
export interface ProviderInstance {
  readonly name: string;
  readonly type: string;
  /** `false` ends selection only; machines that live are followed and taken back. */
  readonly enabled: boolean;
  /** A lower number is preferred. */
  readonly priority: number;
  /** Share among instances of equal priority, and in load balancing. 0: only when it is named. */
  readonly weight: number;
  /** By the provider type's schema, with defaults and environment overrides. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Fields that templates get here where they say nothing. */
  readonly template_defaults: Readonly<Record<string, unknown>>;
  /** What becomes of things in the cloud that carry our tags and that no request knows. */
  readonly sweep: SweepPolicy;
  readonly limits: { readonly max_instances_per_request: number; readonly max_concurrent_requests: number | null };
}
