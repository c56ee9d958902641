import { recentlyUsed } from '../../core/collections/recently-used.ts';
import type { Clock } from '../../core/contract/clock.ts';
import type { Log } from '../../core/contract/log.ts';
import type { Store } from '../../core/contract/storage.ts';
import type { EventFilter } from '../../core/journal/event-filter.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { eventMessage } from './event-message.ts';
import { EventReader, type JournalFeed, type ReadPart } from './event-reader.ts';
import type { OpenStream } from './open-stream.ts';
import { inPieces, Pieces } from './pieces.ts';
import { SharedBytes } from './shared-bytes.ts';
import type { Turns } from './turns.ts';

/** Events of one read of the journal. */
const readAtOnce = 200;
/**
 * The interval between two reads while events come, in milliseconds: they share a write to each reader. With many
 * readers the writes take longer than everything else, so the interval grows: half a second with a thousand.
 */
const gatherMs = 250;
const gatherMsPerReader = 0.25;
const retryMs = 1_000;
/** How many older parts are kept: readers that resume together ask for the same. */
const partsKept = 8;
const noPieces = new Pieces(0);

/**
 * The journal as it grows, for any number of readers of this process: each event is read and rendered once. Without
 * readers, and while nothing happens, it does nothing.
 */
export class EventFeed implements JournalFeed {
  readonly #store: Pick<Store, 'watch'>;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #turns: Turns;
  readonly #readers = new Set<EventReader>();
  readonly #parts = recentlyUsed<Promise<ReadPart>>(partsKept);
  #rendered = 0;
  #pieces: Pieces | undefined;
  #starting: Promise<void> | undefined;
  #opening = 0;
  #watch: Disposable | undefined;
  #changed = false;
  #running = false;
  #notBefore = -Infinity;
  #failing = false;
  #stop = new AbortController();

  constructor(store: Pick<Store, 'watch'>, journal: Journal, clock: Clock, log: Log, turns: Turns) {
    this.#store = store;
    this.#journal = journal;
    this.#clock = clock;
    this.#log = log;
    this.#turns = turns;
  }

  /** The latest events, while there are readers. */
  get pieces(): Pieces {
    return this.#pieces ?? noPieces;
  }

  /** How many messages of events were made. */
  get rendered(): number {
    return this.#rendered;
  }

  /** The last known event. */
  get last(): number {
    return this.pieces.last;
  }

  /**
   * Adds a reader of the events behind `after`, or of those from now on. `open` begins its stream. Rejects with
   * UNAVAILABLE when the journal cannot be read.
   */
  async follow(filter: EventFilter, after: number | undefined, open: () => OpenStream): Promise<void> {
    this.#opening += 1;
    try {
      await this.#start();
      const stream = open();
      const reader = new EventReader(this, stream, filter, after);
      this.#readers.add(reader);
      stream.onClose = () => {
        this.#readers.delete(reader);
        this.#rest();
      };
    } finally {
      this.#opening -= 1;
      this.#rest();
    }
  }

  /** Reads a part of the older events. Readers at the same position share the part. */
  read(after: number, filter: EventFilter): Promise<ReadPart> {
    const key = JSON.stringify([after, filter]);
    const known = this.#parts.get(key);
    if (known) return known;
    const part = this.#read(after, filter);
    this.#parts.set(key, part);
    const forget = () => void this.#parts.delete(key);
    // Only events never change; a gap may.
    part.then(({ messages, gap }) => (messages.length === 0 || gap ? forget() : undefined), forget);
    return part;
  }

  /** Reports that the journal could not be read, once until it can be read again. */
  failed(error: unknown): void {
    if (!this.#failing) this.#log.warn({ err: error }, 'The journal cannot be read; event streams wait.');
    this.#failing = true;
  }

  async #read(after: number, filter: EventFilter): Promise<ReadPart> {
    const { events, next, gap } = await this.#journal.after(after, filter, readAtOnce);
    this.#rendered += events.length;
    const rendered = events.map((event) => ({ event, bytes: eventMessage(event) }));
    const messages = inPieces(rendered).map((piece) => ({
      bytes: new SharedBytes(Buffer.concat(piece.map(({ bytes }) => bytes))),
      last: piece.at(-1)?.event.seq ?? after,
    }));
    return { messages, next, ...(gap ? { gap } : {}) };
  }

  /** Begins to watch the journal. Events that come during the start are read afterwards. */
  #start(): Promise<void> {
    this.#starting ??= (async () => {
      this.#stop = new AbortController();
      this.#watch = this.#store.watch((kinds) => {
        if (kinds.has('event')) this.#notice();
      });
      this.#pieces = new Pieces(await this.#journal.last());
    })().catch((error: unknown) => {
      this.#end();
      throw error;
    });
    return this.#starting;
  }

  /** Stops to watch when there are no readers. */
  #rest(): void {
    if (this.#readers.size === 0 && this.#opening === 0) this.#end();
  }

  #end(): void {
    this.#stop.abort();
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#starting = undefined;
    this.#pieces = undefined;
    this.#parts.clear();
  }

  #notice(): void {
    this.#changed = true;
    if (this.#running) return;
    this.#running = true;
    void this.#run(this.#stop.signal).finally(() => {
      this.#running = false;
      if (this.#changed && this.#watch) this.#notice();
    });
  }

  /** Reads and distributes new events until there are none. */
  async #run(signal: AbortSignal): Promise<void> {
    while (this.#changed && !signal.aborted) {
      const wait = this.#notBefore - this.#clock.monotonic();
      if (wait > 0) await this.#clock.sleep(wait, signal);
      if (signal.aborted) return;
      this.#changed = false;
      try {
        await this.#starting;
        await this.#distribute(signal);
        this.#notBefore = this.#clock.monotonic() + gatherMs + gatherMsPerReader * this.#readers.size;
        this.#failing = false;
      } catch (error) {
        if (signal.aborted) return;
        this.failed(error);
        this.#changed = true;
        this.#notBefore = this.#clock.monotonic() + retryMs;
      }
    }
  }

  async #distribute(signal: AbortSignal): Promise<void> {
    for (let more = true; more && !signal.aborted; ) {
      const events = await this.#journal.next(this.last, readAtOnce);
      more = events.length === readAtOnce;
      if (signal.aborted || events.length === 0) return;
      this.#pieces?.add(events);
      this.#rendered += events.length;
      const now = this.#clock.monotonic();
      await this.#turns.each(this.#readers, (reader) => {
        reader.bound(now);
        reader.pump();
      });
    }
  }
}
