import type { Clock } from '../../contract/clock.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { EventSink } from '../../contract/events.ts';
import type { Log } from '../../contract/log.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { unwatched, type CallTracking } from '../../providers/guard/call-tracking.ts';
import { guard } from '../../providers/guard/guard.ts';
import type { Owner, Store } from '../../contract/storage.ts';
import { nextCursor, readCursor, type Cursor } from './sink-cursor.ts';
import { Lease } from './lease.ts';

/** Events that a sink gets at once. */
const atOnce = 200;
const deliverMs = 10_000;
const gatherMs = 250;
/** After a failure, doubling up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;
/** Without a word from the store, the journal is looked at this often: others' turns end without one. */
const idleMs = 5_000;

export interface DeliveryParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: Owner;
  readonly sinks: readonly EventSink[];
  /** Aborts when the loop stops. */
  readonly signal: AbortSignal;
  readonly watch?: CallTracking;
  /** Whether nothing of a sink may be called now. */
  quarantined?(name: string): boolean;
  /** How long a sink may take for a batch. Default 10 seconds. */
  readonly deliver_ms?: number;
}

/** What a sink is called among those whose code runs. */
export const sinkName = (name: string): string => `event sink '${name}'`;

interface SinkDelivery {
  readonly sink: EventSink;
  pause: number;
  /** Monotonic. */
  not_before: number;
  failing: boolean;
  due: boolean;
  running: boolean;
}

/**
 * Tells event sinks what is journalled: every entry at least once, in order, in batches, each sink at its own pace. How far one got is stored after it took a
 * batch, so that a crash in between tells the batch again. A sink that is new begins with what comes from now on. One process on a store has the turn. A sink
 * that throws or hangs is tried again later, ever more rarely, and keeps no other waiting.
 */
export class EventDelivery implements Disposable {
  readonly #parts: DeliveryParts;
  readonly #turn: Lease;
  readonly #deliveries: readonly SinkDelivery[];
  readonly #watch: Disposable | undefined;
  readonly #running = new Set<Promise<void>>();
  #look = -Infinity;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#turn = new Lease('events', parts);
    this.#deliveries = parts.sinks.map((sink) => ({ sink, pause: 0, not_before: -Infinity, failing: false, due: true, running: false }));
    if (parts.sinks.length === 0) return;
    this.#watch = parts.store.watch((kinds) => {
      if (kinds.has('event')) for (const delivery of this.#deliveries) delivery.due = true;
    });
  }

  /** Begins with what is due. Does not wait for it. */
  begin(): void {
    const now = this.#parts.clock.monotonic();
    if (this.#deliveries.length > 0 && now >= this.#look) {
      this.#look = now + idleMs;
      for (const delivery of this.#deliveries) delivery.due = true;
    }
    for (const delivery of this.#deliveries) {
      if (!delivery.due || delivery.running || now < delivery.not_before || this.#parts.quarantined?.(sinkName(delivery.sink.name)))
        continue;
      delivery.running = true;
      const running = this.#deliver(delivery).finally(() => {
        delivery.running = false;
        this.#running.delete(running);
      });
      this.#running.add(running);
    }
  }

  /** Resolves when nothing is under way, and gives the turn back. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
    await this.#turn.giveBack();
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
      // What comes in short order is told together: each step is a commit that everybody hears of.
      delivery.not_before = clock.monotonic() + gatherMs;
      if (!delivery.failing) return;
      delivery.failing = false;
      log.info(about, `${capital(sinkName(delivery.sink.name))} takes events again.`);
    } catch (error) {
      if (signal.aborted) return;
      delivery.due = true;
      delivery.pause = Math.min(longestPauseMs, delivery.pause === 0 ? firstPauseMs : delivery.pause * 2);
      delivery.not_before = clock.monotonic() + delivery.pause;
      // Said once; that it still fails is what one expects until it is told otherwise.
      if (delivery.failing) return;
      delivery.failing = true;
      const why = error instanceof Error ? error.message : String(error);
      log.error(
        { ...about, err: error },
        `${capital(sinkName(delivery.sink.name))} does not take events; they are kept and told again later. ${why}`,
      );
    }
  }

  /** Tells the next entries. Whether there may be more. */
  async #batch(delivery: SinkDelivery): Promise<boolean> {
    const { store, clock, log, signal, watch = unwatched, deliver_ms = deliverMs } = this.#parts;
    delivery.due = false;
    if (!(await this.#turn.take(deliver_ms * 2))) return false;
    const { sink } = delivery;
    const cursor = await this.#cursor(sink.name);
    if (cursor === undefined) return true;
    const events = await store.find('event', { where: { seq: { after: cursor.seq } }, limit: atOnce });
    const last = events.at(-1);
    if (!last) return false;
    const what = `delivery to ${sinkName(sink.name)}`;
    const guarded = {
      what,
      plugin: pluginOf(sink),
      mutating: false,
      timeout_ms: deliver_ms,
      signal,
      fence: () => undefined,
      log: quiet(log, delivery),
    };
    await guard(guarded, () => watch.call(sinkName(sink.name), async () => sink.deliver(events)));
    if (delivery.failing) {
      delivery.failing = false;
      delivery.pause = 0;
      log.info({ event_sink: sink.name }, `${capital(sinkName(sink.name))} takes events again.`);
    }
    await this.#store(sink.name, cursor, last.seq, clock.now());
    return true;
  }

  /** How far a sink got; undefined when it was met for the first time just now. */
  async #cursor(name: string): Promise<Cursor | undefined> {
    const { store, clock } = this.#parts;
    const cursor = await readCursor(store, name);
    if (cursor) return cursor;
    const [newest] = await store.find('event', { order: [['seq', 'desc']], limit: 1 });
    await this.#store(name, undefined, newest?.seq ?? 0, clock.now());
    return undefined;
  }

  /** When another process got there first, what it stored counts. */
  async #store(name: string, from: Cursor | undefined, seq: number, at: number): Promise<void> {
    try {
      await this.#parts.store.commit(nextCursor(name, from, seq, at));
    } catch (error) {
      if (!isBrokerError(error) || error.code !== 'ALREADY_EXISTS') throw error;
    }
  }
}

/** A sink that keeps failing is told of once. */
const quiet = (log: Log, { failing }: SinkDelivery): Log => (failing ? { ...log, error: log.debug } : log);

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
