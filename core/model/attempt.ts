import { Type, type Static } from 'typebox';
import { Offer, Shortfall } from './shortfall.ts';
import type { Template } from './template.ts';

/** The order of an attempt as it was frozen before anything was sent: a replay sends exactly this. */
export const StoredOrder = Type.Object({
  machine_count: Type.Integer({ minimum: 1 }),
  template: Type.Unsafe<Template>(Type.Object({}, { additionalProperties: true })),
  offers: Type.Optional(Type.Array(Type.Unsafe<Offer>(Offer))),
  tags: Type.Record(Type.String(), Type.String()),
});
export type StoredOrder = Static<typeof StoredOrder>;

/**
 * How far an attempt is.
 * - `open`: the intent is stored, the outcome is not known: it may have been sent
 * - `launched`: the provider gave a handle
 * - `closed`: the provider refused it; it started nothing
 * - `lost`: its outcome can no longer be learned by replay; whatever appears is released
 */
export const attemptStates = ['open', 'launched', 'closed', 'lost'] as const;
export type AttemptState = (typeof attemptStates)[number];

/** One order to one API of one provider instance. Its token pins the whole order, so changed parameters are a new attempt. */
export const AttemptRecord = Type.Object({
  request_id: Type.String(),
  attempt: Type.Integer({ minimum: 1 }),
  provider_instance: Type.String(),
  provider_type: Type.String(),
  api: Type.String(),
  /** The cloud that the session spoke to when the order was made; the attempt is touched only through a session of the same identity. */
  identity: Type.String(),
  token: Type.String(),
  order: StoredOrder,
  state: Type.Unsafe<AttemptState>(Type.Enum([...attemptStates])),
  /** What `prepare` returned, boxed so that an absent and an empty result differ. */
  prepared: Type.Optional(Type.Object({ value: Type.Unknown() })),
  handle: Type.Optional(Type.Unsafe<object>(Type.Object({}))),
  /** The handle of an answer that is not stored as a whole yet. */
  accepted_handle: Type.Optional(Type.Unsafe<object>(Type.Object({}))),
  /**
   * Something may still come of it, so its request counts against `max_concurrent_requests` of the instance. Derived from its other fields, and stored
   * for the store to count by. Absent: it counts no more.
   */
  active: Type.Optional(Type.Boolean()),
  /** No further machine will come by itself. */
  settled: Type.Boolean(),
  /** The provider accepted that no more than this many machines arrive. 0: stopped. */
  to_come: Type.Optional(Type.Integer({ minimum: 0 })),
  /** How many of its machines had been lost when `to_come` was asked for. */
  lost_seen: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Derived: more machines of it were lost since. What the provider was told to keep is more than there is, so it may start another. */
  reopened: Type.Optional(Type.Boolean()),
  /** The provider said once that it goes on trying to no effect; it is stopped before another attempt is made. */
  stuck: Type.Optional(Type.Boolean()),
  /** Every call so far was certainly not executed. Cleared, durably, before the next one. */
  unsent: Type.Boolean(),
  /** A call may have been executed without an answer: only a replay, or the token's age, ends the doubt. */
  doubtful: Type.Boolean(),
  /** What the provider kept for it is removed. */
  disposed: Type.Boolean(),
  shortfall: Type.Array(Shortfall),
  created_at: Type.Integer(),
  /** The first time that `launch` was about to be called; bounds the life of the token. */
  sent_at: Type.Optional(Type.Integer()),
  /** How long the call that gave its outcome took. */
  answered_ms: Type.Optional(Type.Integer()),
  /** Calls that ended without an outcome, in a row. */
  tries: Type.Integer(),
  /** How often it was looked for by tag, once it was lost. */
  looks: Type.Optional(Type.Integer()),
  /** A machine of it was seen after it had been given up without a handle: it was looked for once more. */
  sought: Type.Optional(Type.Boolean()),
  /** Not before then is it called again. */
  retry_at: Type.Optional(Type.Integer()),
  /** What its times were moved by, of `moved_ms` of its request. */
  moved_ms: Type.Optional(Type.Integer()),
  /** The last failure, for people. */
  message: Type.Optional(Type.String()),
});
export type AttemptRecord = Static<typeof AttemptRecord>;
