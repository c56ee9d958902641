import type { EventRecord } from '../../core/model/records.ts';
import { eventMessage } from './event-message.ts';
import { SharedBytes } from './shared-bytes.ts';

/** An event with its message, which all readers share. */
export interface RenderedEvent {
  readonly event: EventRecord;
  readonly bytes: Buffer;
}

/** Consecutive events of the journal, as one write. */
export class Piece {
  readonly events: readonly RenderedEvent[];
  readonly bytes: SharedBytes;
  readonly first: number;
  readonly last: number;
  /** How many bytes the feed rendered up to the end of this piece. */
  readonly end: number;

  constructor(events: readonly RenderedEvent[], before: number) {
    this.events = events;
    const [only] = events;
    this.bytes = new SharedBytes(
      only && events.length === 1 ? only.bytes : Buffer.concat(events.map((each) => each.bytes)),
    );
    this.first = events[0]?.event.seq ?? 0;
    this.last = events.at(-1)?.event.seq ?? 0;
    this.end = before + this.bytes.length;
  }

  /** The messages behind `after` that a filter leaves. Undefined when there are none. */
  behind(after: number, matches: ((event: EventRecord) => boolean) | undefined): SharedBytes | Buffer | undefined {
    if (!matches && after < this.first) return this.bytes;
    const wanted = this.events.filter(({ event }) => event.seq > after && (matches?.(event) ?? true));
    const [first, ...more] = wanted;
    return more.length === 0 ? first?.bytes : Buffer.concat(wanted.map(({ bytes }) => bytes));
  }
}

/** The most bytes of one piece, unless one event alone is larger. */
const pieceBytes = 128 * 1024;
/** The most bytes of the pieces that are kept. It exceeds what a reader may have waiting. */
const keptBytes = 1024 * 1024;

/** The latest events with their messages, each rendered once. */
export class Pieces {
  #pieces: Piece[] = [];
  /** Behind this event all events are kept. */
  #floor: number;
  #rendered = 0;

  constructor(floor: number) {
    this.#floor = floor;
  }

  get floor(): number {
    return this.#floor;
  }

  /** The last event. */
  get last(): number {
    return this.#pieces.at(-1)?.last ?? this.#floor;
  }

  /** How many bytes were rendered so far. */
  get bytes(): number {
    return this.#rendered;
  }

  add(events: readonly EventRecord[]): void {
    for (const part of inPieces(events.map((event) => ({ event, bytes: eventMessage(event) })))) {
      const piece = new Piece(part, this.#rendered);
      this.#pieces.push(piece);
      this.#rendered = piece.end;
    }
    const over = this.#pieces.findIndex(({ end }) => this.#rendered - end < keptBytes);
    if (over <= 0) return;
    this.#floor = this.#pieces[over - 1]?.last ?? this.#floor;
    this.#pieces = this.#pieces.slice(over);
  }

  /** The piece that continues behind an event, from the floor on. Undefined behind the last one. */
  behind(seq: number): Piece | undefined {
    // Most readers want the last piece.
    const last = this.#pieces.at(-1);
    if (!last || seq >= last.last) return undefined;
    if (seq >= last.first - 1 && seq >= (this.#pieces.at(-2)?.last ?? this.#floor)) return last;
    return this.#pieces.find((piece) => piece.last > seq);
  }

  /** How many bytes wait behind an event; for a filter, of the messages that it leaves. */
  waiting(seq: number, matches: ((event: EventRecord) => boolean) | undefined): number {
    return this.#pieces.reduce((sum, piece) => {
      if (piece.last <= seq) return sum;
      return sum + (piece.behind(seq, matches)?.length ?? 0);
    }, 0);
  }
}

export function inPieces(rendered: readonly RenderedEvent[]): RenderedEvent[][] {
  const pieces: RenderedEvent[][] = [];
  let bytes = Infinity;
  for (const each of rendered) {
    if (bytes + each.bytes.length > pieceBytes) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)?.push(each);
    bytes += each.bytes.length;
  }
  return pieces;
}
