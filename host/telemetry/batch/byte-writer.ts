import { GrowingBytes } from '../growing-bytes.ts';
import { tags, type Plain } from './plain-values.ts';

/** Enough for a batch that is sent when it is full. */
const usualCapacity = 131_072;
/** Characters of a text at most; more are left out. */
const longestText = 1_000;
const largestByte = 0xff;
/** The tag and the length before a text. */
const headBytes = 5;

/** Writes plain values as bytes. A loop over characters costs less here than a call of Buffer for each text. */
export class ByteWriter extends GrowingBytes {
  constructor() {
    super(usualCapacity);
  }

  /** Writes an integer from 0 to 2³² - 1. Returns its place. */
  count(value: number): number {
    const at = this.#reserve(4);
    this.view.setUint32(at, value);
    return at;
  }

  /** Writes another integer to a place. */
  recount(at: number, value: number): void {
    this.view.setUint32(at, value);
  }

  number(value: number): void {
    const at = this.#reserve(8);
    this.view.setFloat64(at, value);
  }

  value(value: Plain): void {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') {
      this.#tag(tags.number);
      this.number(value);
    } else this.#tag(value === null ? tags.null : value ? tags.true : tags.false);
  }

  /** What was written, until the next call, and begins anew. */
  take(): Uint8Array {
    const written = this.bytes.subarray(0, this.end);
    const { length } = this.bytes;
    this.empty();
    // What posts a part of a buffer copies all of it.
    return 2 * written.length < length ? new Uint8Array(written) : written;
  }

  #tag(tag: number): void {
    const at = this.#reserve(1);
    this.bytes[at] = tag;
  }

  #text(text: string): void {
    const length = Math.min(text.length, longestText);
    const at = this.#reserve(headBytes + 2 * length);
    const bytes = this.bytes;
    for (let i = 0; i < length; i += 1) {
      const code = text.charCodeAt(i);
      if (code > largestByte) return this.#wideText(text, at, length);
      bytes[at + headBytes + i] = code;
    }
    bytes[at] = tags.text;
    this.view.setUint32(at + 1, length);
    this.end = at + headBytes + length;
  }

  /** Two bytes for each character. */
  #wideText(text: string, at: number, length: number): void {
    this.bytes[at] = tags.wideText;
    this.view.setUint32(at + 1, length);
    for (let i = 0; i < length; i += 1) this.view.setUint16(at + headBytes + 2 * i, text.charCodeAt(i));
  }

  /** Makes room. Returns where it begins. */
  #reserve(count: number): number {
    const at = this.end;
    if (at + count > this.bytes.length) this.grow(count);
    this.end = at + count;
    return at;
  }
}
