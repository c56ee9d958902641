import { tags, type Plain } from './plain-values.ts';

/** Reads what a ByteWriter wrote, in the same order. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  /** Where the next value begins. */
  at = 0;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, length);
    this.#view = new DataView(buffer, byteOffset, length);
  }

  count(): number {
    return this.#view.getUint32(this.#skip(4));
  }

  number(): number {
    return this.#view.getFloat64(this.#skip(8));
  }

  value(): Plain {
    const tag = this.#view.getUint8(this.#skip(1));
    if (tag === tags.text) return this.#narrowText(this.count());
    if (tag === tags.wideText) return this.#wideText(this.count());
    if (tag === tags.number) return this.number();
    return tag === tags.null ? null : tag === tags.true;
  }

  /** Returns where the skipped bytes begin. */
  #skip(count: number): number {
    const at = this.at;
    this.at += count;
    return at;
  }

  #narrowText(length: number): string {
    const at = this.#skip(length);
    return this.#bytes.toString('latin1', at, at + length);
  }

  #wideText(length: number): string {
    return String.fromCharCode(...Array.from({ length }, () => this.#view.getUint16(this.#skip(2))));
  }
}
