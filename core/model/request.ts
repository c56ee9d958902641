import { Type, type Static } from 'typebox';
import { strategies, type Strategy } from '../selection/candidate.ts';
import { Fulfilment } from './shortfall.ts';
import type { Template } from './template.ts';
import { UsageTags } from './usage/usage-tags.ts';

export const requestStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
export type RequestStatus = (typeof requestStatuses)[number];

/** The default time-out of a request or a return in seconds, where neither the caller nor the template sets one. */
export const defaultTimeoutS = 3_600;

/** The states in which a request has ended. */
export type EndStatus = Extract<RequestStatus, 'completed' | 'failed' | 'cancelled'>;

/** The status of a provisioning request never changes after it is terminal. */
export const isTerminal = (status: RequestStatus): status is EndStatus =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** Selection criteria of the caller. They override those of the template. */
export const Preference = Type.Object({
  strategy: Type.Optional(Type.Unsafe<Strategy>(Type.Enum([...strategies]))),
  provider_instance: Type.Optional(Type.String()),
  /** The type's own name, not an alias. */
  provider_type: Type.Optional(Type.String()),
});
export type Preference = Static<typeof Preference>;

/** Why this provider instance was selected, and which would have been next. */
export const ProviderSelection = Type.Object({
  selection_reason: Type.String(),
  confidence: Type.Number(),
  alternatives: Type.Array(Type.String()),
  selection_time_ms: Type.Integer(),
});
export type ProviderSelection = Static<typeof ProviderSelection>;

/** An instance that could not be selected. */
export const RejectedInstance = Type.Object({ name: Type.String(), reason: Type.String() });
export type RejectedInstance = Static<typeof RejectedInstance>;

/** A request for machines, or for their return. Times are epoch milliseconds. */
export const RequestRecord = Type.Object({
  request_id: Type.String(),
  kind: Type.Unsafe<'provision' | 'return'>(Type.Enum(['provision', 'return'])),
  status: Type.Unsafe<RequestStatus>(Type.Enum([...requestStatuses])),
  /** Null only for a return of machines of several templates. */
  template_id: Type.Union([Type.String(), Type.Null()]),
  /**
   * The template as merged when the request was made, without defaults of an instance. Later edits of the template do
   * not change a running request.
   */
  template: Type.Optional(Type.Unsafe<Template>(Type.Object({}, { additionalProperties: true }))),
  /** When the files of several instances define this template id: the template of each instance. */
  variants: Type.Optional(
    Type.Record(Type.String(), Type.Unsafe<Template>(Type.Object({}, { additionalProperties: true }))),
  ),
  /** The number of machines that the caller requested. */
  machine_count: Type.Integer(),
  /** Only where the caller gave names: one for each machine, each once. */
  names: Type.Optional(Type.Array(Type.String())),
  /** Derived from the machines: how many count against `max_instances` of the template. */
  holds: Type.Integer(),
  /**
   * Derived from the machines and attempts: what the request takes of budgets (`reservesText`). Absent: nothing.
   */
  reserves: Type.Optional(Type.String()),
  /** Values of tags by which the use of the machines is summed up. Absent: none are kept. */
  usage_tags: Type.Optional(UsageTags),
  /** Derived from the machines: how many became ready, including those that were returned since. */
  delivered: Type.Integer(),
  /**
   * How many machines the completed request had, including those that were returned before. A request that replaces
   * lost machines keeps this number.
   */
  kept_count: Type.Optional(Type.Integer({ minimum: 0 })),
  /**
   * By how many milliseconds the times of the request were moved in total because the clock was set. Absent: 0. The
   * times of its machines and attempts are moved later.
   */
  shifted_ms: Type.Optional(Type.Integer()),
  /** When an all-or-nothing request turned out to be impossible. Since then its machines are released. */
  undone_at: Type.Optional(Type.Integer()),
  provider_type: Type.Optional(Type.String()),
  provider_instance: Type.Optional(Type.String()),
  provider_selection: Type.Optional(ProviderSelection),
  /** The instances that were rejected when the request was accepted, at most 20. Absent: none. */
  rejected: Type.Optional(Type.Array(RejectedInstance)),
  /**
   * The provider instance at which the request waits for a slot. Requests that were accepted later do not get this
   * slot. Absent: the request waits for no slot.
   */
  waits_for: Type.Optional(Type.String()),
  /**
   * The provider instances that a broker must have to work on the request (`needsOf`): those of its unfinished
   * attempts, else the selected one. Absent: any broker can.
   */
  needs: Type.Optional(Type.String()),
  /** Only provisioning requests: the criteria by which instances are selected again for each new order. */
  preference: Type.Optional(Preference),
  /**
   * Only provisioning requests: the instance that was selected when the request was accepted or handed over. It comes
   * first while it can serve.
   */
  selected_instance: Type.Optional(Type.String()),
  /** The instances of other brokers to which the request was handed over before its first order. */
  handed_over: Type.Optional(Type.Array(Type.String())),
  additional_data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /**
   * The place in a trace of the call that made the request, so that later work for the request belongs to the same
   * trace. Absent: the call was not traced.
   */
  trace: Type.Optional(Type.Object({ traceparent: Type.String(), tracestate: Type.Optional(Type.String()) })),
  tags: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Why the request has its present status, for people. */
  message: Type.String(),
  created_at: Type.Integer(),
  completed_at: Type.Optional(Type.Integer()),
  deadline_at: Type.Integer(),
  /** Only provisioning requests: the time-out with which the request was accepted, in seconds. */
  timeout_s: Type.Optional(Type.Integer()),
  /** Only provisioning requests: the lease of its machines in seconds, which overrides that of the template. */
  lease_s: Type.Optional(Type.Integer()),
  /** Only return requests: the broker returned the machines, because their lease ended. */
  expired: Type.Optional(Type.Boolean()),
  cancel_requested_at: Type.Optional(Type.Integer()),
  cancel_reason: Type.Optional(Type.String()),
  fulfilment: Type.Optional(Fulfilment),
  /** When the provider last answered for all machines of the request. */
  observed_at: Type.Optional(Type.Integer()),
  /** When the loop must process the request again. null: never. */
  next_at: Type.Union([Type.Integer(), Type.Null()]),
  /**
   * After a takeover from a holder that did not yield: the time after which the releases are repeated before the
   * request reports an end. 0: no repetition is needed.
   */
  repeat_release_at: Type.Optional(Type.Integer()),
  /** Only return requests: the requests that the machines came from. */
  origins: Type.Optional(Type.Array(Type.String())),
  /** Maintained by the store: increases with every commit. */
  version: Type.Integer(),
  /**
   * Maintained by the store: increases with every claim. 0: never claimed, so no call was ever made for the request.
   */
  epoch: Type.Integer(),
});
export type RequestRecord = Static<typeof RequestRecord>;
