import { Transform, type Readable } from 'node:stream';
import { BrokerError } from '../../../core/contract/errors.ts';
import type { Share } from './body-budget.ts';
import { WireRefusal } from '../refusal.ts';

const pieceBytes = 16_384;
/** So many chunks may be as small as they like; of more the average is to have so many bytes. */
const fewChunks = 1_000;
const leastBytes = 64;

/**
 * A body that comes in chunks, in pieces of some size: a chunk that is kept for itself takes some three hundred bytes, and a
 * caller could send a million of one byte each. Many that are so small are refused, and so is what `share` has no room for.
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
      if (chunks > fewChunks && bytes < chunks * leastBytes)
        return done(new WireRefusal(400, 'The body comes in too many chunks of a few bytes.'));
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
  // Whoever reads it is told. Once the call is answered nobody does, and an error that nobody hears would end the server.
  gathered.on('error', () => undefined);
  body.once('error', (error) => gathered.destroy(error));
  return body.pipe(gathered);
}

const tooMuch = (): BrokerError =>
  new BrokerError('UNAVAILABLE', 'Callers have too many large bodies under way. Nothing was done; try again later.', { retry_after_s: 1 });
