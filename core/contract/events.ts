import type { EventRecord } from '../model/records.ts';

/** An event of the journal. */
export type BrokerEvent = EventRecord;

/**
 * Gets every event of the journal at least once, in order. When `deliver` rejects, the same events are delivered again
 * later. A slow or failing sink delays no request.
 */
export interface EventSink {
  readonly name: string;
  deliver(events: readonly BrokerEvent[]): Promise<void>;
}
