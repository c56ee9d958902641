/** What selection knows of one provider instance, for one template. */
export interface Candidate {
  readonly name: string;
  readonly type: string;
  readonly enabled: boolean;
  /** Absent: it answers. Else why it does not. */
  readonly unhealthy?: string;
  readonly priority: number;
  readonly weight: number;
  /** APIs that it offers. */
  readonly apis: readonly string[];
  readonly max_instances_per_request: number;
  /** Every offer that the template allows there was lately without capacity. */
  readonly without_capacity: boolean;
}

export const strategies = ['explicit', 'load_balanced', 'api_based', 'default'] as const;
export type Strategy = (typeof strategies)[number];

/** What is asked for. */
export interface SelectionQuery {
  /** What load balancing hashes: the request id. */
  readonly key: string;
  readonly machine_count: number;
  /** Absent: by what is named: an instance, a type, an API, else default. */
  readonly strategy?: Strategy;
  readonly provider_instance?: string;
  readonly provider_type?: string;
  readonly provider_api?: string;
}

/** Codes of what keeps an instance from being chosen, and what each means. */
export const rejections = {
  PROVIDER_DISABLED: 'It is disabled.',
  PROVIDER_UNHEALTHY: 'Its last check, or a call, said that it cannot act.',
  PROVIDER_TYPE_MISMATCH: 'It is of another provider type.',
  API_NOT_SUPPORTED: 'It does not offer the API.',
  INSTANCE_LIMIT_EXCEEDED: 'The request is larger than `limits` of the instance, or the API, allow.',
  NO_CAPACITY: 'Every offer that the template allows was lately without capacity.',
  WEIGHT_ZERO: 'Its weight is 0: it is used only when named.',
} as const;

/** Why an instance is out. */
export interface Rejection {
  readonly name: string;
  readonly code: keyof typeof rejections;
  readonly reason: string;
}

export interface Selection {
  readonly strategy: Strategy;
  readonly provider_type: string;
  readonly provider_instance: string;
  readonly selection_reason: string;
  /** 1 for an explicit or a single candidate, else the winner's share of the eligible weight. */
  readonly confidence: number;
  /** The runners-up in order: what a failed attempt falls back to. */
  readonly alternatives: readonly string[];
  readonly rejected: readonly Rejection[];
}
