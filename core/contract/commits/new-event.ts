import type { EventType } from '../../journal/event-types.ts';
import type { EventRecord } from '../../model/records.ts';
import type { Change } from '../storage.ts';

/**
 * The record of an event, which the store numbers. The provider instance of the data becomes a field of the event, and
 * so does the machine of `machine_ids` when it is the only one.
 */
export function eventRecord(
  at: number,
  type: EventType,
  { provider_instance, ...data }: Readonly<Record<string, unknown>>,
  request_id?: string,
): EventRecord {
  const { machine_ids } = data;
  const [only, ...others] = Array.isArray(machine_ids) ? (machine_ids as readonly string[]) : [];
  return {
    seq: 0,
    at,
    type,
    ...(request_id === undefined ? {} : { request_id }),
    ...(only === undefined || others.length > 0 ? {} : { machine_id: only }),
    ...(typeof provider_instance === 'string' ? { provider_instance } : {}),
    data,
  };
}

/** The change that appends an event to the journal. */
export const newEvent = (at: number, type: EventType, data: Record<string, unknown>, request_id?: string): Change => ({
  op: 'insert',
  kind: 'event',
  record: eventRecord(at, type, data, request_id),
});
