import type { Static, TSchema } from 'typebox';
import type { Answers } from '../../../core/contract/answers.ts';
import type { Operations } from '../../../core/operations/registry.ts';

/** The answer of an operation in muster's own format, which the page always asks for. */
export type AnswerOf<Name extends keyof Operations> = Operations[Name]['output'] extends infer Output
  ? Output extends keyof Answers
    ? Answers[Output]
    : Output extends TSchema
      ? Static<Output>
      : never
  : never;

export type RequestStatus = AnswerOf<'sync_and_get_request'> & {
  /** When the broker acts next. */
  readonly next_at?: string | null;
};
export type RequestList = AnswerOf<'list_active_requests'>;
export type MachineList = AnswerOf<'list_machines'>;
export type Machine = MachineList['machines'][number];
export type ProviderList = AnswerOf<'list_providers'>;
export type Provider = ProviderList['providers'][number];
export type BrokerList = AnswerOf<'list_brokers'>;
export type MetricsList = AnswerOf<'get_provider_metrics'>;
export type TemplateList = AnswerOf<'list_templates'>;
export type TemplateAnswer = AnswerOf<'get_template'>;
export type FitAnswer = AnswerOf<'validate_template_for_providers'>;

/** An event of the journal, as the list and the stream carry it. */
export interface JournalEvent {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly request_id?: string;
  readonly machine_id?: string;
  readonly provider_instance?: string;
  readonly actor?: Actor | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Actor {
  readonly interface: string;
  readonly address?: string;
  readonly user?: string;
  readonly name?: string;
}

export interface EventList {
  readonly events: readonly JournalEvent[];
  readonly next: number;
}

export const milestoneNames = ['accepted', 'selected', 'ordered', 'first_machine', 'all_ready', 'returned'] as const;
export type MilestoneName = (typeof milestoneNames)[number];

export interface Timeline {
  readonly request_id: string;
  readonly milestones: Readonly<Record<MilestoneName, string | null>>;
  readonly durations_ms: Readonly<Record<string, number | null>>;
  readonly events: readonly JournalEvent[];
}

export interface Outcome {
  readonly at: string;
  readonly code: string;
  readonly message: string;
  readonly offer?: string;
  readonly count?: number;
}

export interface Attempt {
  readonly attempt: number;
  readonly provider_instance: string;
  readonly api: string;
  readonly machine_count: number;
  readonly offers: readonly (string | { readonly key: string })[];
  readonly token: string;
  readonly state: string;
  readonly cloud_request_ids: readonly string[];
  readonly outcomes: readonly Outcome[];
  readonly created_at: string;
  readonly sent_at?: string | null;
  readonly ended_at?: string | null;
}

export interface Explanation {
  readonly request_id: string;
  readonly status: string;
  readonly because: string;
  readonly waiting_for: null | { readonly what: string; readonly until: string | null };
  readonly selection: null | {
    readonly provider_instance: string | null;
    readonly reason: string | null;
    readonly candidates: readonly {
      readonly provider_instance: string;
      readonly eligible: boolean;
      readonly reasons: readonly string[];
    }[];
  };
  readonly order: readonly {
    readonly provider_instance: string;
    readonly api: string;
    readonly offers: readonly {
      readonly key: string;
      readonly state: string;
      readonly short_since?: string | null;
      readonly tried_again_at?: string | null;
    }[];
  }[];
  readonly attempts: readonly Attempt[];
  readonly shortfall: readonly {
    readonly offer?: string;
    readonly kind: string;
    readonly code: string;
    readonly message: string;
    readonly count?: number;
  }[];
}

export interface CapacityOffer {
  readonly provider_instance: string;
  readonly provider_api: string;
  readonly offer: string;
  readonly machine_type: string | null;
  readonly zone: string | null;
  readonly market: string | null;
  readonly state: 'free' | 'short';
  readonly short_since?: string;
  readonly tried_again_at?: string;
  readonly code?: string;
  readonly message?: string;
  readonly template_ids: readonly string[];
}

export interface CapacityList {
  readonly offers: readonly CapacityOffer[];
  readonly total_count: number;
}
