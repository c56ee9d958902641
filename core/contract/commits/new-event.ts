import type { Change } from '../storage.ts';

/** The change that appends an event to the journal. */
export const newEvent = (at: number, type: string, data: Record<string, unknown>, request_id?: string): Change => ({
  op: 'insert',
  kind: 'event',
  record: { seq: 0, at, type, ...(request_id === undefined ? {} : { request_id }), data },
});
