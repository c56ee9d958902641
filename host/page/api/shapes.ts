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
export type BudgetList = AnswerOf<'list_budgets'>;
export type EventList = AnswerOf<'list_events'>;
/** An event of the journal, as the list and the stream carry it. */
export type JournalEvent = EventList['events'][number];
export type Actor = JournalEvent['actor'];
export type Timeline = AnswerOf<'get_request_timeline'>;
export type MilestoneName = keyof Timeline['milestones'];
export type TemplateVerdict = AnswerOf<'validate_template'>;
/** What templates of an instance can name. */
export type Account = AnswerOf<'discover_provider'>;
export type FitAnswer = AnswerOf<'validate_template_for_providers'>;
