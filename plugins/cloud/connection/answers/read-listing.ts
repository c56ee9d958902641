import { hash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { InvalidAnswer } from './invalid-answer.ts';
import type { Listing, Row } from './listings.ts';
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

/** A row that no recent answer had. */
interface NewRow {
  readonly text: string;
  readonly digest: string;
  /** Where it is in the answer; several times, if rows differ in nothing but the ids of their machines. */
  readonly places: { readonly index: number; readonly id: string | undefined }[];
}

/**
 * Reads an answer that lists machines while it arrives, so that no more of it is in memory than a part. Rows with the
 * same text as a row of a recent answer are not parsed again: a machine at rest has the same row each time. The text
 * decides alone, without the id where a listing takes that apart, so the result is what parsing would give.
 */
export async function readListing(
  listing: Listing,
  body: AsyncIterable<Uint8Array>,
  { recent, parse, inTurn }: ListingReader,
): Promise<object> {
  const cutter = new RowCutter(listing.path);
  const decoder = new StringDecoder('utf8');
  const rows: Row[] = [];
  /** By digest. */
  const added = new Map<string, NewRow>();
  let last = { rest: '', digest: '' };
  let received = 0;
  const run = async <T>(work: () => T | Promise<T>): Promise<T> =>
    received < smallAnswerBytes ? work() : inTurn(work);
  recent.forget();
  for await (const part of body) {
    received += part.length;
    await run(() => compare(decoder.write(Buffer.from(part.buffer, part.byteOffset, part.length))));
    while (added.size >= listing.rowsPerPiece)
      await run(() => readNew(nextPiece(), (texts) => cutter.partWith(texts)));
  }
  await run(() => compare(decoder.end()));
  if (cutter.list === 'open') throw new InvalidAnswer('The answer ended within its list of machines.');
  if (cutter.list === 'absent')
    throw new InvalidAnswer('The answer has no list of machines, and not even an empty one.');
  const page = await run(() => readNew([...added.values()], (texts) => cutter.wholeWith(texts)));
  return { ...page, ...listing.fieldOf(rows) };

  function compare(part: string): void {
    for (const text of cutter.cut(part)) {
      const { rest, id } = listing.apart?.(text) ?? { rest: text };
      // Comparing costs a tenth of a digest, and what remains of a status without its id is nearly always the same.
      if (rest !== last.rest) last = { rest, digest: hash('sha256', rest, 'binary') };
      const { digest } = last;
      const known = recent.get(digest);
      if (known !== undefined) {
        rows.push(listing.unpacked(known, id));
        continue;
      }
      const place = { index: rows.push({}) - 1, id };
      const row = added.get(digest);
      if (row) row.places.push(place);
      else added.set(digest, { text, digest, places: [place] });
    }
  }

  function nextPiece(): NewRow[] {
    const piece = added.values().take(listing.rowsPerPiece).toArray();
    for (const { digest } of piece) added.delete(digest);
    return piece;
  }

  /** Parses an answer with these rows alone. */
  async function readNew(piece: readonly NewRow[], answer: (texts: readonly string[]) => string): Promise<object> {
    const read = await parse(Buffer.from(answer(piece.map(({ text }) => text))));
    const found = listing.rowsOf(read);
    if (found.length !== piece.length)
      throw new InvalidAnswer(
        `The answer lists machines in another form than EC2's: ${piece.length} rows are read as ${found.length}.`,
      );
    for (const [at, { digest, places }] of piece.entries()) {
      const row = found[at] ?? {};
      const packed = listing.packed(row);
      // In a row of another form than EC2's, the SDK may have found no id, or another one.
      const isAsCut = places[0]?.id === undefined || places[0].id === row.InstanceId;
      if (isAsCut) recent.set(digest, packed, listing.isAtRest(row));
      for (const { index, id } of places) rows[index] = listing.unpacked(packed, isAsCut ? id : undefined);
    }
    return read;
  }
}
