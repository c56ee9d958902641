import { Transform, type Readable } from 'node:stream';
import { BrokerError } from '../../../core/contract/errors.ts';
import type { Share } from './body-budget.ts';
import { WireRefusal } from '../refusal.ts';

const pieceBytes = 16_384;
/**
 * A body of up to `freeChunks` chunks may have chunks of any size; above that, the average size must be at least
 * `minAverageBytes`.
 */
const freeChunks = 1_000;
const minAverageBytes = 64;

/**
 * Merges the chunks of a body into pieces of 16 KiB. A chunk that is kept separately costs about 300 bytes, and a
 * caller could send a million chunks of one byte. The stream fails when too many chunks are too small, or when `share`
 * has no bytes left.
 */
export function gatherChunks(body: Readable, share?: Share): Readable {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let filled = 0;
  let chunks = 0;
  let bytes = 0;
  const gathered = new Transform({
    transform(chunk: Buffer, _, done) {
      chunks += 1;
      bytes += chunk.length;
      if (chunks > freeChunks && bytes < chunks * minAverageBytes)
        return done(new WireRefusal(400, 'The body has too many chunks of a few bytes.'));
      if (share && !share.take(chunk.length)) return done(tooMuch());
      if (filled + chunk.length > pieceBytes) {
        this.push(piece.subarray(0, filled));
        piece = Buffer.allocUnsafe(pieceBytes);
        filled = 0;
      }
      if (chunk.length >= pieceBytes) this.push(chunk);
      else filled += chunk.copy(piece, filled);
      done();
    },
    flush(done) {
      done(null, piece.subarray(0, filled));
    },
  });
  // The reader of the stream gets the error. After the answer there is no reader, and an unhandled error event would
  // end the process.
  gathered.on('error', () => undefined);
  body.once('error', (error) => gathered.destroy(error));
  return body.pipe(gathered);
}

const tooMuch = (): BrokerError =>
  new BrokerError('UNAVAILABLE', 'Too many large bodies are in progress. Nothing was done; try again later.', {
    retry_after_s: 1,
  });
