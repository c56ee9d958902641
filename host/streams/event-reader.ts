import { isOpen, matching, type EventFilter } from '../../core/journal/event-filter.ts';
import type { EventRecord } from '../../core/model/records.ts';
import { comment, gapMessage, greeting, idLine } from './event-message.ts';
import type { Gap } from '../../core/journal/journal.ts';
import type { OpenStream } from './open-stream.ts';
import type { Pieces } from './pieces.ts';
import type { SharedBytes } from './shared-bytes.ts';

/** Older events as messages. */
export interface ReadPart {
  readonly messages: readonly { readonly bytes: SharedBytes; readonly last: number }[];
  readonly next: number;
  readonly gap?: Gap;
}

/** What a reader needs to know of the journal. */
export interface JournalFeed {
  /** The latest events. */
  readonly pieces: Pieces;
  /** The last known event. */
  readonly last: number;
  /** Reads a part of the older events. Readers at the same position share the part. */
  read(after: number, filter: EventFilter): Promise<ReadPart>;
  /** Reports that the journal could not be read. */
  failed(error: unknown): void;
}

/** The most bytes that may wait for a reader. */
const mostWaiting = 256 * 1024;
/** How long more may wait, in milliseconds. */
const behindMs = 1_000;

/**
 * A reader of the journal over one stream. It has a position: behind it, it gets every event that its filter leaves,
 * once and in order. It is written to only while it takes what it got.
 */
export class EventReader {
  readonly #feed: JournalFeed;
  readonly #stream: OpenStream;
  readonly #filter: EventFilter;
  /** Absent: the filter leaves every event. */
  readonly #matches: ((event: EventRecord) => boolean) | undefined;
  /** The last event that the reader got or that its filter removed. */
  #position: number;
  /** The position that the reader was told last. */
  #told: number;
  #gapUntil: number | undefined;
  #reading = false;
  /** Since when too much waits. */
  #behindSince: number | undefined;

  constructor(feed: JournalFeed, stream: OpenStream, filter: EventFilter, after: number | undefined) {
    this.#feed = feed;
    this.#stream = stream;
    this.#filter = filter;
    this.#matches = isOpen(filter) ? undefined : matching(filter);
    this.#position = after ?? feed.last;
    this.#told = this.#position;
    stream.beat = () => this.#beat();
    stream.onDrain = () => this.pump();
    stream.write(after === undefined ? `${greeting}${idLine(this.#position)}\n` : greeting);
    // Another process may have told the reader about events that are not known here yet, or it names none of this
    // journal.
    if (this.#position > feed.last) void this.#readJournal();
    else this.pump();
  }

  /** Sends what the reader can take now. */
  pump(): void {
    const { pieces } = this.#feed;
    while (!this.#stream.closed && !this.#stream.blocked && !this.#reading) {
      if (this.#position < pieces.floor) return void this.#readJournal();
      const piece = pieces.behind(this.#position);
      if (!piece) return;
      const bytes = piece.behind(this.#position, this.#matches);
      this.#position = piece.last;
      if (bytes) this.#stream.write(bytes);
    }
  }

  /**
   * Ends the stream of a reader that leaves too much waiting. Many events may come in one moment, so the reader has
   * some time to take them. The pieces are shared: what waits takes no memory of its own.
   */
  bound(now: number): void {
    const { pieces } = this.#feed;
    const isBehind =
      this.#stream.blocked &&
      !this.#reading &&
      (this.#position < pieces.floor ||
        this.#stream.waiting + pieces.waiting(this.#position, this.#matches) > mostWaiting);
    if (!isBehind) this.#behindSince = undefined;
    else if (now - (this.#behindSince ??= now) >= behindMs) this.#stream.cut('behind');
  }

  /** Reads older events in parts, each when the reader took the one before, up to those that the feed keeps. */
  async #readJournal(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      do {
        const part = await this.#feed.read(this.#position, this.#filter);
        if (part.gap) this.#tell(part.gap);
        for (const { bytes, last } of part.messages) {
          await this.#taken();
          if (this.#stream.closed) return;
          this.#stream.write(bytes);
          this.#position = last;
        }
        this.#position = part.next;
      } while (this.#position < this.#feed.pieces.floor && !this.#stream.closed);
    } catch (error) {
      this.#feed.failed(error);
      return this.#stream.cut('failed');
    } finally {
      this.#reading = false;
    }
    this.pump();
  }

  /** Tells what is missing, once: each part up to the same event says it. */
  #tell(gap: Gap): void {
    if (this.#gapUntil !== gap.until) this.#stream.write(gapMessage(gap));
    this.#gapUntil = gap.until;
  }

  /** Resolves when the reader can take more, or the stream is over. */
  async #taken(): Promise<void> {
    if (!this.#stream.blocked || this.#stream.closed) return;
    await new Promise<void>((resolve) => {
      const { onDrain, onClose } = this.#stream;
      const go = () => {
        Object.assign(this.#stream, { onDrain, onClose });
        resolve();
      };
      this.#stream.onDrain = go;
      this.#stream.onClose = () => {
        go();
        onClose();
      };
    });
  }

  /** Also tells the reader of filtered events how far they are, so that it resumes there. */
  #beat(): string {
    if (!this.#matches || this.#reading || this.#told === this.#position) return `${comment}\n`;
    this.#told = this.#position;
    return `${comment}${idLine(this.#position)}\n`;
  }
}
