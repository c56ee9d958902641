import { crc32 } from 'node:zlib';
import { joined } from './checksum.ts';
import type { SharedBytes } from './shared-bytes.ts';

/** RFC 1952: deflate, no name, no time, of an unknown system. */
const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** RFC 1951: an empty stored block. Decoders give everything before it. */
const flushed = Buffer.from([0, 0, 0, 0xff, 0xff]);
/** The last block, which is empty. */
const last = Buffer.from([3, 0]);
/** The most bytes of a stored block. */
const mostStored = 0xffff;

/**
 * The body of one answer in the form of GZIP. Shared bytes are in it as they were compressed once for all answers;
 * other bytes are stored as they are, since to compress them for each answer would take longer than to send them. Each
 * part can be decoded when it arrives.
 */
export class GzipBody {
  #checksum = 0;
  #size = 0;
  #begun = false;

  shared({ deflated, length }: SharedBytes): Buffer {
    this.#count(length, joined(this.#checksum, deflated.checksum, deflated.shift));
    return this.#part([deflated.bytes]);
  }

  stored(bytes: Uint8Array): Buffer {
    this.#count(bytes.length, crc32(bytes, this.#checksum));
    const blocks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += mostStored) {
      const block = bytes.subarray(at, at + mostStored);
      const begin = Buffer.alloc(5);
      begin.writeUInt16LE(block.length, 1);
      begin.writeUInt16LE(~block.length & 0xffff, 3);
      blocks.push(begin, block);
    }
    return this.#part([...blocks, flushed]);
  }

  /** The end of the body. */
  end(): Buffer {
    const end = Buffer.alloc(8);
    end.writeUInt32LE(this.#checksum, 0);
    end.writeUInt32LE(this.#size, 4);
    return this.#part([last, end]);
  }

  #count(more: number, checksum: number): void {
    this.#checksum = checksum;
    // Modulo 2^32, as the format wants it.
    this.#size = (this.#size + more) >>> 0;
  }

  #part(blocks: readonly Uint8Array[]): Buffer {
    const [only] = blocks;
    if (this.#begun && blocks.length === 1 && only instanceof Buffer) return only;
    const all = this.#begun ? blocks : [head, ...blocks];
    this.#begun = true;
    return Buffer.concat(all);
  }
}
