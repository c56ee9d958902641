/** A bound on the machines of one request at one instance. */
export interface MachineLimit {
  readonly most: number;
  /** Who sets it: `limits` of the instance, the API by which it would serve, or `max_instances` of the template as the instance sees it. */
  readonly by: 'instance' | 'api' | 'template';
}

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
  /** The API that its defaults ask for where the template names none. */
  readonly wanted_api?: string;
  readonly limits: readonly MachineLimit[];
  /** Every offer that the template allows there lacked capacity lately. */
  readonly lacking?: {
    /** Epoch milliseconds: until then nothing is ordered there for the template. */
    readonly tried_again_at: number;
  };
  /** Why its API cannot honour the template. */
  readonly unfit?: string;
}

export const strategies = ['explicit', 'load_balanced', 'api_based', 'default'] as const;
export type Strategy = (typeof strategies)[number];

/** What is asked for. */
export interface SelectionQuery {
  /** What weights are shared by: the request id. */
  readonly key: string;
  readonly machine_count: number;
  /** Machines of the template that others hold already; they count against its own bound. Default: none. */
  readonly held?: number;
  /** Absent: by what is named: an instance, a type, an API, else default. */
  readonly strategy?: Strategy;
  readonly provider_instance?: string;
  readonly provider_type?: string;
  readonly provider_api?: string;
}

/** Codes of what keeps an instance from being chosen, and what each means. */
export const rejections = {
  PROVIDER_NOT_FOUND: 'It is not in the configuration.',
  PROVIDER_DISABLED: 'It is disabled.',
  PROVIDER_UNHEALTHY: 'Its last check, or a call, said that it cannot act.',
  PROVIDER_TYPE_MISMATCH: 'It is of another provider type.',
  API_NOT_SUPPORTED: 'It does not offer the API.',
  INSTANCE_LIMIT_EXCEEDED: 'The request is larger than `limits` of the instance, the API, or `max_instances` of the template there, allow.',
  TEMPLATE_INVALID: 'Its API cannot honour the template, and that of another instance can.',
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
  /** The runners-up in order, as it is now: what a failed attempt falls back to is worked out anew when it is needed. */
  readonly alternatives: readonly string[];
  readonly rejected: readonly Rejection[];
}
