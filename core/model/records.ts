import { Type, type Static } from 'typebox';
import { Actor } from '../journal/actor.ts';

/** A template that was written over the API: the top layer of its id. A `null` field hides the value of a file. */
export const TemplateRecord = Type.Object({
  template_id: Type.String(),
  fields: Type.Record(Type.String(), Type.Unknown()),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
  /** Maintained by the store: increases with every commit. */
  version: Type.Integer(),
});
export type TemplateRecord = Static<typeof TemplateRecord>;

/** An accepted call with an Idempotency-Key. The same key and body get the same request again. */
export const KeyRecord = Type.Object({
  scope: Type.String(),
  key: Type.String(),
  fingerprint: Type.String(),
  request_id: Type.String(),
  created_at: Type.Integer(),
  purged_at: Type.Optional(Type.Integer()),
});
export type KeyRecord = Static<typeof KeyRecord>;

/**
 * A fact that the loop learned and that every process may read: health and statistics of an instance, offers without
 * capacity, the id of the installation.
 */
export const FactRecord = Type.Object({
  topic: Type.String(),
  /** The provider instance, or another name that the topic is kept by. */
  name: Type.String(),
  item: Type.String(),
  value: Type.Unknown(),
  at: Type.Integer(),
  /** Epoch milliseconds after which the fact no longer holds. */
  until: Type.Optional(Type.Integer()),
});
export type FactRecord = Static<typeof FactRecord>;

/** One entry of the journal. Written in the same commit as the change that it describes; never changed. */
export const EventRecord = Type.Object({
  /** Assigned by the store, in increasing order. */
  seq: Type.Integer(),
  at: Type.Integer(),
  type: Type.String(),
  request_id: Type.Optional(Type.String()),
  /** The machine, when the event is of one machine alone. Else `machine_ids` in the data has all of them. */
  machine_id: Type.Optional(Type.String()),
  provider_instance: Type.Optional(Type.String()),
  /** Who caused it. Absent: the broker itself. */
  actor: Type.Optional(Actor),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type EventRecord = Static<typeof EventRecord>;
