import { Type, type Static } from 'typebox';
import { Actor, ofBroker } from './actor.ts';
import type { EventRecord } from '../model/records.ts';
import { isoTime } from '../schema/iso-time.ts';

/** An event of the journal as callers see it. */
export const EventView = Type.Object({
  seq: Type.Integer({ description: 'The number of the event. A later event has a higher one.' }),
  at: Type.String({ format: 'date-time', description: 'In UTC, with milliseconds.' }),
  type: Type.String({ description: 'For example `request.created`; the guide of events has a table.' }),
  request_id: Type.Optional(Type.String({ description: 'The request or the return.' })),
  machine_id: Type.Optional(
    Type.String({ description: 'The machine, of an event of one machine. `machine_ids` in `data` has several.' }),
  ),
  provider_instance: Type.Optional(Type.String()),
  actor: Actor,
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type EventView = Static<typeof EventView>;

export function eventView(event: EventRecord): EventView {
  const { seq, at, type, request_id, machine_id, provider_instance, actor = ofBroker, data } = event;
  return {
    seq,
    at: isoTime(at),
    type,
    ...(request_id === undefined ? {} : { request_id }),
    ...(machine_id === undefined ? {} : { machine_id }),
    ...(provider_instance === undefined ? {} : { provider_instance }),
    actor,
    data,
  };
}
