import type { EventRecord } from '../model/records.ts';
import type { ObjectSchema, ValueOf } from '../schema/object-schema.ts';
import type { Clock } from './clock.ts';
import type { Finding } from './findings.ts';
import type { Log } from './log.ts';

/** An event of the journal. */
export type BrokerEvent = EventRecord;

/**
 * Gets every event of the journal at least once, in order. When `deliver` rejects, the same events are delivered again
 * later. A slow or failing sink delays no request.
 */
export interface EventSink {
  readonly name: string;
  /** The time-out of a call to `deliver` in milliseconds. Default: 10 000. */
  readonly deliver_ms?: number;
  /**
   * Resolves when the events are delivered. A sink that takes long for each event may stop earlier and resolve with
   * the number of events that it delivered, from the first on and at least one: the others follow with the next call.
   */
  deliver(events: readonly BrokerEvent[]): Promise<number | void>;
}

/** What an event sink gets when it is opened. */
export interface EventSinkContext {
  /** The name of the sink in the configuration. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A kind of event sink that the configuration opens: an entry of `events.sinks` with its `type`. */
export interface EventSinkType<Options extends ObjectSchema = ObjectSchema> {
  readonly type: string;
  /** Fields of the entry besides `type` and `name`. */
  readonly options: Options;
  /** Finds what the schema of the options cannot express. Default: nothing. */
  review?(options: ValueOf<Options>): readonly Finding[];
  /** Makes a sink, without a call to anything outside. */
  open(options: ValueOf<Options>, context: EventSinkContext): Omit<EventSink, 'name'>;
}

/** Infers the option types of a kind of event sink. */
export function defineEventSinkType<Options extends ObjectSchema>(
  type: EventSinkType<Options>,
): EventSinkType<Options> {
  return type;
}
