import type { EventRecord } from '../model/records.ts';

/** What happened, as journalled. */
export type BrokerEvent = EventRecord;

/** Gets every journalled event at least once, in order. A sink that throws is told again later and holds up no request. */
export interface EventSink {
  readonly name: string;
  deliver(events: readonly BrokerEvent[]): Promise<void>;
}
