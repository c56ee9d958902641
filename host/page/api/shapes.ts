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
export type OrphanList = AnswerOf<'list_orphans'>;
export type TemplateList = AnswerOf<'list_templates'>;
export type TemplateAnswer = AnswerOf<'get_template'>;
export type Explanation = AnswerOf<'explain_request'>;
export type Attempt = Explanation['attempts'][number];
export type CapacityList = AnswerOf<'list_capacity'>;
export type CapacityOffer = CapacityList['offers'][number];
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
