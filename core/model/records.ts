import { Type, type Static } from 'typebox';

/** A template made over the API: the top layer of its id. A `null` field hides what a file says. */
export const TemplateRecord = Type.Object({
  template_id: Type.String(),
  fields: Type.Record(Type.String(), Type.Unknown()),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
  /** Kept by the store: rises with every commit. */
  version: Type.Integer(),
});
export type TemplateRecord = Static<typeof TemplateRecord>;

/** An accepted call under an Idempotency-Key: the same key and body get the same request again. */
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
 * Something that the loop learned and every process may read: health and statistics of an instance, offers without capacity,
 * the installation's id.
 */
export const FactRecord = Type.Object({
  topic: Type.String(),
  /** Provider instance, or what else the topic is kept by. */
  name: Type.String(),
  item: Type.String(),
  value: Type.Unknown(),
  at: Type.Integer(),
  /** Epoch milliseconds after which it no longer holds. */
  until: Type.Optional(Type.Integer()),
});
export type FactRecord = Static<typeof FactRecord>;

/** One line of the journal. Written in the same commit as the change it tells of, never changed. */
export const EventRecord = Type.Object({
  /** Given by the store, rising. */
  seq: Type.Integer(),
  at: Type.Integer(),
  type: Type.String(),
  request_id: Type.Optional(Type.String()),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type EventRecord = Static<typeof EventRecord>;
