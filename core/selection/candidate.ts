/** A limit on the machines of one request at one instance. */
export interface MachineLimit {
  readonly most: number;
  /**
   * The source of the limit: `limits` of the instance, the API that would serve the request, or `max_instances` of the
   * template with the defaults of the instance.
   */
  readonly by: 'instance' | 'api' | 'template';
}

/** The facts about one provider instance that selection uses, for one template. */
export interface Candidate {
  readonly name: string;
  readonly type: string;
  readonly enabled: boolean;
  /** Why the instance does not answer. Absent: it answers. */
  readonly unhealthy?: string;
  readonly priority: number;
  readonly weight: number;
  /** The APIs that the instance offers. */
  readonly apis: readonly string[];
  /** The API that the defaults of the instance set for a template that names none. */
  readonly required_api?: string;
  readonly limits: readonly MachineLimit[];
  /** Set when every offer that the template allows at the instance lacked capacity recently. */
  readonly without_capacity?: {
    /** Epoch milliseconds: until then no order for the template is sent to the instance. */
    readonly tried_again_at: number;
  };
  /** Why the API of the instance cannot honor the template. */
  readonly unfit?: string;
}

export const strategies = ['explicit', 'load_balanced', 'api_based', 'default'] as const;
export type Strategy = (typeof strategies)[number];

/** The criteria of a selection. */
export interface SelectionQuery {
  /** The key that weights are distributed by: the request id. */
  readonly key: string;
  readonly machine_count: number;
  /**
   * The machines of the template that other requests hold; they count against the limit of the template. Default: 0.
   */
  readonly held?: number;
  /** Absent: the strategy follows from the criteria: an instance, a type, an API, else `default`. */
  readonly strategy?: Strategy;
  readonly provider_instance?: string;
  readonly provider_type?: string;
  readonly provider_api?: string;
}

/** The reasons for rejecting an instance, and their meanings. */
export const rejections = {
  PROVIDER_NOT_FOUND: 'It is not in the configuration.',
  PROVIDER_DISABLED: 'It is disabled.',
  PROVIDER_UNHEALTHY: 'Its last check or a call failed with a fault of the instance.',
  PROVIDER_TYPE_MISMATCH: 'It is of another provider type.',
  API_NOT_SUPPORTED: 'It does not offer the API.',
  INSTANCE_LIMIT_EXCEEDED:
    'The request exceeds `limits` of the instance, the maximum of the API, or `max_instances` of the template there.',
  TEMPLATE_INVALID: 'Its API cannot honor the template, and the API of another instance can.',
  WEIGHT_ZERO: 'Its weight is 0: it is used only when named.',
} as const;

/** Why an instance is rejected. */
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
  /**
   * The other eligible instances, best first, at the time of selection. Fallback does not use this list; it selects
   * again.
   */
  readonly alternatives: readonly string[];
  readonly rejected: readonly Rejection[];
}
