import { Type, type Static } from 'typebox';
import { MachineKey } from './machine.ts';
import { faultKinds, type FaultKind } from '../contract/fault.ts';
import { Offer, Shortfall } from './shortfall.ts';
import type { Template } from './template.ts';
import { UsageTags } from './usage/usage-tags.ts';

/** The order of an attempt, frozen before the first call. A replay sends exactly this order. */
export const StoredOrder = Type.Object({
  machine_count: Type.Integer({ minimum: 1 }),
  template: Type.Unsafe<Template>(Type.Object({}, { additionalProperties: true })),
  offers: Type.Optional(Type.Array(Type.Unsafe<Offer>(Offer))),
  tags: Type.Record(Type.String(), Type.String()),
  /** Only of a request with names: those that the machines of the order may get, one for each. */
  names: Type.Optional(Type.Array(Type.String())),
});
export type StoredOrder = Static<typeof StoredOrder>;

/**
 * The states of an attempt.
 * - `open`: the intent is stored and the outcome is not known; the order may have been sent
 * - `launched`: the provider returned a handle
 * - `closed`: the provider refused the order and started nothing
 * - `lost`: a replay can no longer tell the outcome; machines that appear later are released
 */
export const attemptStates = ['open', 'launched', 'closed', 'lost'] as const;
export type AttemptState = (typeof attemptStates)[number];

/** What the provider answered to a call for an attempt, when it did not do what the call asked for. */
export const AttemptOutcome = Type.Object({
  /** Epoch milliseconds: the last answer of this kind. */
  at: Type.Integer(),
  kind: Type.Unsafe<FaultKind>(Type.Enum([...faultKinds])),
  code: Type.String(),
  message: Type.String(),
  offer: Type.Optional(Type.String()),
  /** How many answers were equal. Absent: one. */
  count: Type.Optional(Type.Integer({ minimum: 2 })),
});
export type AttemptOutcome = Static<typeof AttemptOutcome>;

/** What was known about an instance when another one got an order. */
export const OrderCandidate = Type.Object({
  provider_instance: Type.String(),
  /** It could have got the order, or may get a later one. */
  eligible: Type.Boolean(),
  reasons: Type.Array(Type.String()),
});
export type OrderCandidate = Static<typeof OrderCandidate>;

/** Why an order went to its instance, and what was known about the others. */
export const OrderChoice = Type.Object({ reason: Type.String(), candidates: Type.Array(OrderCandidate) });
export type OrderChoice = Static<typeof OrderChoice>;

/**
 * One order to one API of one provider instance. Its token identifies the whole order, so changed parameters need a
 * new attempt.
 */
export const AttemptRecord = Type.Object({
  request_id: Type.String(),
  attempt: Type.Integer({ minimum: 1 }),
  provider_instance: Type.String(),
  provider_type: Type.String(),
  api: Type.String(),
  /**
   * The cloud that the session spoke to when the order was made. Only a session of the same identity handles the
   * attempt.
   */
  identity: Type.String(),
  /** The token of the first call; see `tokens_spent`. */
  token: Type.String(),
  /** How many tokens of the order failed for good. The token of the next call is made from this number. */
  tokens_spent: Type.Optional(Type.Integer({ minimum: 1 })),
  order: StoredOrder,
  /**
   * Only of an order for replacements: the machines of the request that the ordered ones replace. The order has one
   * machine for each.
   */
  replaces: Type.Optional(Type.Array(MachineKey)),
  state: Type.Unsafe<AttemptState>(Type.Enum([...attemptStates])),
  /** The result of `prepare`, boxed so that an absent and an empty result differ. */
  prepared: Type.Optional(Type.Object({ value: Type.Unknown() })),
  handle: Type.Optional(Type.Unsafe<object>(Type.Object({}))),
  /** The handle of an answer whose machines are not stored completely yet. */
  accepted_handle: Type.Optional(Type.Unsafe<object>(Type.Object({}))),
  /**
   * The attempt may still start machines, so its request counts against `max_concurrent_requests` of the instance.
   * Derived from the other fields, and stored so that the store can count by it. Absent: the attempt no longer counts.
   */
  active: Type.Optional(Type.Boolean()),
  /** Why the last call was certainly not executed, for an order that is not sent again. */
  deferred_for: Type.Optional(Type.Unsafe<Shortfall>(Shortfall)),
  /** No further machine will start without a new call. */
  settled: Type.Boolean(),
  /** The provider accepted that at most this many further machines arrive. 0: the attempt is stopped. */
  incoming: Type.Optional(Type.Integer({ minimum: 0 })),
  /** How many machines of the attempt were lost when the provider accepted `incoming`. */
  lost_seen: Type.Optional(Type.Integer({ minimum: 0 })),
  /**
   * Derived: more machines of the attempt were lost since then. The last target that the provider accepted has more
   * machines than exist, so the provider may start another one.
   */
  reopened: Type.Optional(Type.Boolean()),
  /**
   * The provider reported once that it keeps trying without effect. The attempt is stopped before another one is made.
   */
  stuck: Type.Optional(Type.Boolean()),
  /** The provider certainly executed none of the calls so far. Cleared, durably, before the next call. */
  unsent: Type.Boolean(),
  /** The provider may have executed a call without an answer. Only a replay or the age of the token ends the doubt. */
  doubtful: Type.Boolean(),
  /** Everything that the provider kept for the attempt is removed. */
  disposed: Type.Boolean(),
  shortfall: Type.Array(Shortfall),
  /**
   * Why the order went to its instance. Absent: as for the attempt before, or as selected when the request was
   * accepted.
   */
  choice: Type.Optional(OrderChoice),
  /** The last answers that were no success, oldest first. Nothing is decided from them. */
  outcomes: Type.Optional(Type.Array(AttemptOutcome)),
  /** The ids under which the cloud knows the calls for the attempt: the first ones and the last ones. */
  cloud_request_ids: Type.Optional(Type.Array(Type.String())),
  created_at: Type.Integer(),
  /** When `launch` was about to be called for the first time. The validity of the token counts from this time. */
  sent_at: Type.Optional(Type.Integer()),
  /** The duration of the call that gave the outcome, in milliseconds. */
  answered_ms: Type.Optional(Type.Integer()),
  /** Since when the attempt starts no further machine. Absent: it may, or it ended in an earlier version. */
  ended_at: Type.Optional(Type.Integer()),
  /** The number of consecutive calls that ended without an outcome. */
  tries: Type.Integer(),
  /** How often the machines of the lost attempt were searched by tag. */
  searches: Type.Optional(Type.Integer()),
  /**
   * A machine appeared after the attempt was marked lost without a handle, and the attempt was recovered once more.
   */
  sought: Type.Optional(Type.Boolean()),
  /** The earliest time of the next call. */
  retry_at: Type.Optional(Type.Integer()),
  /** The part of `shifted_ms` of the request that was already added to the times of the attempt. */
  shifted_ms: Type.Optional(Type.Integer()),
  /**
   * Values of tags by which the use of the machines is summed up, where they are not those of the request. null: none
   * are kept.
   */
  usage_tags: Type.Optional(Type.Union([UsageTags, Type.Null()])),
  /** The last failure, for people. */
  message: Type.Optional(Type.String()),
});
export type AttemptRecord = Static<typeof AttemptRecord>;
