import { tags, type Plain } from './plain-values.ts';

/** Reads what a ByteWriter wrote, in the same order. */
export class ByteReader {
  readonly #bytes: Buffer;
  /** Each byte as a character: to take a part of a text costs less than to decode a part of the bytes. */
  readonly #text: string;
  #at = 0;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, length);
    this.#text = this.#bytes.toString('latin1');
  }

  count(): number {
    return this.#bytes.readUInt32BE(this.#skip(4));
  }

  number(): number {
    return this.#bytes.readDoubleBE(this.#skip(8));
  }

  value(): Plain {
    const tag = this.#bytes[this.#skip(1)];
    if (tag === tags.text) return this.#narrowText(this.count());
    if (tag === tags.wideText) return this.#wideText(this.count());
    if (tag === tags.number) return this.number();
    return tag === tags.null ? null : tag === tags.true;
  }

  #narrowText(length: number): string {
    const at = this.#skip(length);
    return this.#text.slice(at, at + length);
  }

  #wideText(length: number): string {
    return String.fromCharCode(...Array.from({ length }, () => this.#bytes.readUInt16BE(this.#skip(2))));
  }

  /** Returns where the skipped bytes begin. */
  #skip(count: number): number {
    const at = this.#at;
    this.#at += count;
    return at;
  }
}
