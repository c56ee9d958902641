import { Type, type Static } from 'typebox';
import { strategies, type Strategy } from '../selection/candidate.ts';
import { Fulfilment } from './shortfall.ts';
import type { Template } from './template.ts';

export const requestStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
export type RequestStatus = (typeof requestStatuses)[number];

/** Seconds that a request or a return waits where neither the caller nor the template says. */
export const defaultTimeoutS = 3_600;

/** Once there, the status of a provisioning request never changes again. */
export const isTerminal = (status: RequestStatus): boolean => status === 'completed' || status === 'failed' || status === 'cancelled';

/** What a caller prefers, over what the template says. */
export const Preference = Type.Object({
  strategy: Type.Optional(Type.Unsafe<Strategy>(Type.Enum([...strategies]))),
  provider_instance: Type.Optional(Type.String()),
  /** By its own name, not by an alias. */
  provider_type: Type.Optional(Type.String()),
});
export type Preference = Static<typeof Preference>;

/** Why this provider instance, and which would have been next. */
export const ProviderSelection = Type.Object({
  selection_reason: Type.String(),
  confidence: Type.Number(),
  alternatives: Type.Array(Type.String()),
  selection_time_ms: Type.Integer(),
});
export type ProviderSelection = Static<typeof ProviderSelection>;

/** A request for machines, or for their return. Times are epoch milliseconds. */
export const RequestRecord = Type.Object({
  request_id: Type.String(),
  kind: Type.Unsafe<'provision' | 'return'>(Type.Enum(['provision', 'return'])),
  status: Type.Unsafe<RequestStatus>(Type.Enum([...requestStatuses])),
  /** Null only for a return of machines of several templates. */
  template_id: Type.Union([Type.String(), Type.Null()]),
  /** The template as merged when the request was made, without defaults of an instance: later edits change no running request. */
  template: Type.Optional(Type.Unsafe<Template>(Type.Object({}, { additionalProperties: true }))),
  /** Where files of several instances have a template of this id: each instance's own. */
  variants: Type.Optional(Type.Record(Type.String(), Type.Unsafe<Template>(Type.Object({}, { additionalProperties: true })))),
  /** Machines asked for. */
  machine_count: Type.Integer(),
  /** Derived from its machines: how many count against `max_instances` of the template. */
  holds: Type.Integer(),
  /** Derived from its machines: how many became ready, returned since or not. */
  delivered: Type.Integer(),
  /** How many machines stayed when it completed, with those given back until then: what a request that replaces losses keeps up. */
  kept_count: Type.Optional(Type.Integer({ minimum: 0 })),
  /** By how many milliseconds its times were moved in all because the clock was set. Absent: 0. Its machines and attempts follow. */
  moved_ms: Type.Optional(Type.Integer()),
  /** All or nothing was asked for and could not be had: since then its machines go. */
  undone_at: Type.Optional(Type.Integer()),
  provider_type: Type.Optional(Type.String()),
  provider_instance: Type.Optional(Type.String()),
  provider_selection: Type.Optional(ProviderSelection),
  /** The provider instance at which it waits for a slot: requests accepted later get none that it needs. Absent: it waits for none. */
  waits_for: Type.Optional(Type.String()),
  /** Provisioning requests: by what the instances that may serve it are selected, anew whenever an order is to be made. */
  preference: Type.Optional(Preference),
  /** Provisioning requests: the instance that was chosen when it was accepted. It comes first as long as it can serve. */
  selected_instance: Type.Optional(Type.String()),
  additional_data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  tags: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Why it is where it is, for people. */
  message: Type.String(),
  created_at: Type.Integer(),
  completed_at: Type.Optional(Type.Integer()),
  deadline_at: Type.Integer(),
  cancel_requested_at: Type.Optional(Type.Integer()),
  cancel_reason: Type.Optional(Type.String()),
  fulfilment: Type.Optional(Fulfilment),
  /** The last time that the provider answered for all its machines. */
  observed_at: Type.Optional(Type.Integer()),
  /** When the loop has to look again; null: never. */
  next_at: Type.Union([Type.Integer(), Type.Null()]),
  /** A successor of a holder that did not yield repeats its releases after this time, before it reports an end. 0: it need not. */
  repeat_release_at: Type.Optional(Type.Integer()),
  /** Return requests: the requests that the machines came from. */
  origins: Type.Optional(Type.Array(Type.String())),
  /** Kept by the store: rises with every commit. */
  version: Type.Integer(),
  /** Kept by the store: rises with every claim. 0: never claimed, so nothing was ever sent for it. */
  epoch: Type.Integer(),
});
export type RequestRecord = Static<typeof RequestRecord>;
