import { constants, crc32, deflateRawSync } from 'node:zlib';
import { shiftOf } from './checksum.ts';

/** Fast, and for events nearly as small as the best: a message of 144 KB takes 0.3 ms and becomes 14 KB. */
const level = 3;

/** A part of a deflate stream that needs no other part. */
export interface Deflated {
  readonly bytes: Buffer;
  /** The CRC-32 of the plain bytes. */
  readonly checksum: number;
  /** What the plain bytes do to the checksum of those before them. */
  readonly shift: number;
}

/** Bytes that many streams send: compressed once for all of them, and only when one needs it. */
export class SharedBytes {
  readonly plain: Buffer;
  #deflated: Deflated | undefined;

  constructor(plain: Buffer) {
    this.plain = plain;
  }

  get length(): number {
    return this.plain.length;
  }

  get deflated(): Deflated {
    this.#deflated ??= {
      bytes: deflateRawSync(this.plain, { level, finishFlush: constants.Z_SYNC_FLUSH }),
      checksum: crc32(this.plain),
      shift: shiftOf(this.plain.length),
    };
    return this.#deflated;
  }
}
