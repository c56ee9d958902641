import { isBrokerError } from '../../contract/errors.ts';
import type { BrokerEvent, EventSink } from '../../contract/events.ts';
import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { Log } from '../../contract/log.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { unwatched, type CallTracking } from '../../providers/guard/call-tracking.ts';
import { guard } from '../../providers/guard/guard.ts';
import { errorText } from '../../providers/answer-checks/thrown-error.ts';
import type { Fence } from '../../contract/storage.ts';
import { nextCursor, readCursor, type Cursor } from './sink-cursor.ts';
import { Job, type JobParts } from './job.ts';

/** The most events of one batch. */
const atOnce = 200;
const deliverMs = 10_000;
const gatherMs = 250;
/** The first wait after a failure. It doubles up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;
/**
 * The interval of reads of the journal without a notice of the store: the lease of another process may end without
 * one.
 */
const idleMs = 5_000;

export interface DeliveryParts extends JobParts {
  readonly log: Log;
  readonly sinks: readonly EventSink[];
  /** Aborts when the loop stops. */
  readonly signal: AbortSignal;
  readonly watch?: CallTracking;
  /** Whether calls to a sink are paused now. */
  quarantined?(name: string): boolean;
  /** The time-out of a batch in milliseconds. Default: 10 000. */
  readonly deliver_ms?: number;
}

/** The name of a sink in call tracking. */
export const sinkName = (name: string): string => `event sink '${name}'`;

interface SinkDelivery {
  readonly sink: EventSink;
  readonly job: Job;
  pause: number;
  /** Monotonic milliseconds. */
  not_before: number;
  failing: boolean;
  due: boolean;
  running: boolean;
}

/**
 * Delivers the events of the journal to event sinks: every event at least once, in order, in batches, each sink at its
 * own speed. The position of a sink is stored after each batch, so a crash in between repeats the batch. A new sink
 * starts with the next event. One broker on a store delivers to a sink. A sink that throws or hangs is
 * retried with growing waits, and does not delay the others.
 */
export class EventDelivery implements Disposable {
  readonly #parts: DeliveryParts;
  readonly #deliveries: readonly SinkDelivery[];
  readonly #watch: Disposable | undefined;
  readonly #running = new Set<Promise<void>>();
  #look = -Infinity;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#deliveries = parts.sinks.map((sink) => ({
      sink,
      job: new Job(`delivery to ${sinkName(sink.name)}`, parts),
      pause: 0,
      not_before: -Infinity,
      failing: false,
      due: true,
      running: false,
    }));
    if (parts.sinks.length === 0) return;
    this.#watch = parts.store.watch((kinds) => {
      if (kinds.has('event')) for (const delivery of this.#deliveries) delivery.due = true;
    });
  }

  /** Starts the due deliveries. Does not wait for them. */
  begin(): void {
    const now = this.#parts.clock.monotonic();
    if (this.#deliveries.length > 0 && now >= this.#look) {
      this.#look = now + idleMs;
      for (const delivery of this.#deliveries) delivery.due = true;
    }
    for (const delivery of this.#deliveries) {
      if (
        !delivery.due ||
        delivery.running ||
        now < delivery.not_before ||
        this.#parts.quarantined?.(sinkName(delivery.sink.name))
      )
        continue;
      delivery.running = true;
      const running = this.#deliver(delivery).finally(() => {
        delivery.running = false;
        this.#running.delete(running);
      });
      this.#running.add(running);
    }
  }

  /** Resolves when no delivery is running, and frees the jobs. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
    await Promise.all(this.#deliveries.map(({ job }) => job.free()));
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }

  async #deliver(delivery: SinkDelivery): Promise<void> {
    const { log, signal, clock } = this.#parts;
    const about = { event_sink: delivery.sink.name, plugin: pluginOf(delivery.sink) };
    try {
      while (!signal.aborted && (await this.#batch(delivery)));
      delivery.pause = 0;
      // Events within this time share a batch, because each batch needs a commit that all processes notice.
      delivery.not_before = clock.monotonic() + gatherMs;
      if (!delivery.failing) return;
      delivery.failing = false;
      log.info(about, `${capital(sinkName(delivery.sink.name))} accepts events again.`);
    } catch (error) {
      if (signal.aborted) return;
      delivery.due = true;
      delivery.pause = Math.min(longestPauseMs, delivery.pause === 0 ? firstPauseMs : delivery.pause * 2);
      delivery.not_before = clock.monotonic() + delivery.pause;
      // Repeated failures are not logged.
      if (delivery.failing) return;
      delivery.failing = true;
      const why = error instanceof Error ? error.message : String(error);
      log.error(
        { ...about, err: error },
        `${capital(sinkName(delivery.sink.name))} does not accept events; they are kept and delivered again later. ${why}`,
      );
    }
  }

  /** Delivers the next events. Returns whether there may be more. */
  async #batch(delivery: SinkDelivery): Promise<boolean> {
    const { store, clock, log, signal, watch = unwatched } = this.#parts;
    delivery.due = false;
    const { sink, job } = delivery;
    const deliver_ms = sink.deliver_ms ?? this.#parts.deliver_ms ?? deliverMs;
    const fence = await job.take();
    if (!fence) return false;
    const cursor = await this.#cursor(sink.name, fence);
    if (cursor === undefined) return true;
    const events = await store.find('event', { where: { seq: { after: cursor.seq } }, limit: atOnce });
    if (events.length === 0) return false;
    const what = `delivery to ${sinkName(sink.name)}`;
    const guarded = {
      what,
      plugin: pluginOf(sink),
      mutating: false,
      timeout_ms: deliver_ms,
      signal,
      fence: () => undefined,
      log,
    };
    const count = await guard(guarded, () => watch.call(sinkName(sink.name), () => delivered(sink, events)));
    const last = lastDelivered(sink.name, events, count ?? events.length);
    if (delivery.failing) {
      delivery.failing = false;
      delivery.pause = 0;
      log.info({ event_sink: sink.name }, `${capital(sinkName(sink.name))} accepts events again.`);
    }
    await this.#store(sink.name, cursor, last.seq, clock.now(), fence);
    return true;
  }

  /** The position of a sink; undefined when it was just stored for the first time. */
  async #cursor(name: string, fence: Fence): Promise<Cursor | undefined> {
    const { store, clock } = this.#parts;
    const cursor = await readCursor(store, name);
    if (cursor) return cursor;
    const [newest] = await store.find('event', { order: [['seq', 'desc']], limit: 1 });
    await this.#store(name, undefined, newest?.seq ?? 0, clock.now(), fence);
    return undefined;
  }

  /** If another broker took the job over, or stored a position first, that one counts. */
  async #store(name: string, from: Cursor | undefined, seq: number, at: number, fence: Fence): Promise<void> {
    try {
      await this.#parts.store.commit([fence, ...nextCursor(name, from, seq, at)]);
    } catch (error) {
      if (!isBrokerError(error) || (error.code !== 'ALREADY_EXISTS' && error.code !== 'CONFLICT')) throw error;
    }
  }
}

function lastDelivered(name: string, events: readonly BrokerEvent[], count: number): BrokerEvent {
  const last = Number.isInteger(count) && count > 0 ? events[count - 1] : undefined;
  if (last) return last;
  throw new Error(
    `Event sink '${name}' says that it delivered ${count} of ${events.length} events. It must deliver one at least, or reject.`,
  );
}

/** A sink may reject with any error: that a receiver does not take events is no bug of its plugin. */
async function delivered(sink: EventSink, events: readonly BrokerEvent[]): Promise<number | void> {
  try {
    return await sink.deliver(events);
  } catch (error) {
    throw isFault(error) ? error : new ProviderFault('unavailable', errorText(error), { cause: error });
  }
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
