import { hash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { InvalidAnswer } from './invalid-answer.ts';
import type { Listing } from './listings.ts';
import type { RecentRows } from './recent-rows.ts';
import { RowCutter } from './row-cutter.ts';

export interface ListingReader {
  readonly recent: RecentRows;
  /** The parser of the SDK. */
  parse(answer: Uint8Array): Promise<object>;
  /** Runs a piece of work that takes milliseconds, when it has its turn. */
  inTurn<T>(work: () => T | Promise<T>): Promise<T>;
}

/** Reading a smaller answer takes about a millisecond, and waits for no turn. */
export const smallAnswerBytes = 16_000;

/** No two texts are found that have the same digest, not even of half of SHA-256. */
const digestBytes = 16;

const digestOf = (text: string): string => hash('sha256', text, 'buffer').toString('latin1', 0, digestBytes);

/** A row whose text no recent answer had, and its place in the answer. */
interface NewRow {
  readonly text: string;
  readonly digest: string;
  readonly id: string | undefined;
  readonly index: number;
}

/**
 * Reads an answer that lists machines while it arrives, so that no more of it is in memory than a part. Rows with the
 * same text as a row of a recent answer are not parsed again: a machine at rest has the same row each time. The text
 * decides alone, so the result is what parsing would give.
 */
export async function readListing(
  listing: Listing,
  body: AsyncIterable<Uint8Array>,
  { recent, parse, inTurn }: ListingReader,
): Promise<object> {
  const cutter = new RowCutter(listing.path);
  const decoder = new StringDecoder('utf8');
  const rows: object[] = [];
  const added: NewRow[] = [];
  let last = { rest: '', digest: '' };
  let received = 0;
  const run = async <T>(work: () => T | Promise<T>): Promise<T> =>
    received < smallAnswerBytes ? work() : inTurn(work);
  recent.forget();
  for await (const part of body) {
    received += part.length;
    await run(() => compare(decoder.write(Buffer.from(part.buffer, part.byteOffset, part.length))));
    while (added.length >= listing.rowsPerPiece)
      await run(() => readNew(added.splice(0, listing.rowsPerPiece), (texts) => cutter.partWith(texts)));
  }
  await run(() => compare(decoder.end()));
  if (cutter.list === 'open') throw new InvalidAnswer('The answer ended within its list of machines.');
  if (cutter.list === 'absent')
    throw new InvalidAnswer('The answer has no list of machines, and not even an empty one.');
  const page = await run(() => readNew(added, (texts) => cutter.wholeWith(texts)));
  return { ...page, ...listing.fieldOf(rows) };

  function compare(part: string): void {
    for (const text of cutter.cut(part)) {
      const { rest, id } = listing.apart?.(text) ?? { rest: text };
      // Comparing two texts costs a tenth of a digest, and rows without an id are nearly all the same.
      if (rest !== last.rest) last = { rest, digest: digestOf(rest) };
      const { digest } = last;
      const known = recent.get(digest);
      if (known === undefined) added.push({ text, digest, id, index: rows.length });
      rows.push(known === undefined ? {} : listing.unpacked(known, id));
    }
  }

  /** Parses an answer with these rows alone. */
  async function readNew(piece: readonly NewRow[], answer: (texts: readonly string[]) => string): Promise<object> {
    const read = await parse(Buffer.from(answer(piece.map(({ text }) => text))));
    const found = listing.rowsOf(read);
    if (found.length !== piece.length)
      throw new InvalidAnswer(
        `The answer lists machines in another form than EC2's: ${piece.length} rows are read as ${found.length}.`,
      );
    for (const [at, { digest, id, index }] of piece.entries()) {
      const row = found[at] ?? {};
      const packed = listing.packed(row);
      recent.set(digest, packed, listing.isAtRest(row));
      rows[index] = listing.unpacked(packed, id);
    }
    return read;
  }
}
