import { GrowingBytes } from '../../growing-bytes.ts';

/** How a value is encoded, the last three bits of its tag. */
export const wire = { varint: 0, fixed64: 1, delimited: 2, fixed32: 5 } as const;
const usualCapacity = 131_072;
/** A larger buffer is not kept. */
const largestCapacity = 2_097_152;
const largestAscii = 0x7f;
/** Room for a tag, and for a length or a number of 64 bits. */
const roomBesides = 32;
const half = 2 ** 32;
const largestHalf = half - 1;

/**
 * Writes messages of Protocol Buffers, in one pass. A message is opened with the bytes that its length will probably
 * take, and moved at its end if it takes others.
 */
export class ProtobufWriter extends GrowingBytes {
  constructor() {
    super(usualCapacity, largestCapacity);
  }

  /** Begins a message. Returns where its content begins, which `close` wants. */
  open(field: number, lengthBytes = 1): number {
    this.#tag(field, wire.delimited);
    this.end += lengthBytes;
    return this.end;
  }

  /** Ends a message that was opened with as many bytes for its length. */
  close(begin: number, lengthBytes = 1): void {
    const length = this.end - begin;
    const needed = varintBytes(length);
    this.room(needed);
    const head = begin - lengthBytes;
    if (needed !== lengthBytes) this.bytes.copyWithin(head + needed, begin, begin + length);
    this.end = head;
    this.varint(length);
    this.end += length;
  }

  /** An integer of 32 bits, unsigned. */
  unsigned(field: number, value: number): void {
    this.#tag(field, wire.varint);
    this.varint(value);
  }

  /** An integer of 64 bits, signed. */
  signed(field: number, value: number): void {
    if (value >= 0 && value <= 0xffff_ffff) return this.unsigned(field, value);
    this.#tag(field, wire.varint);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) this.#varintByte(Number(rest & 0x7fn) | 0x80);
    this.#varintByte(Number(rest));
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, wire.fixed32);
    this.view.setUint32(this.end, value, true);
    this.end += 4;
  }

  /** Epoch microseconds as nanoseconds in 64 bits: none for what is before the epoch, the latest for what is too late. */
  microseconds(field: number, us: number): void {
    this.#tag(field, wire.fixed64);
    const whole = us > 0 ? Math.trunc(us) : 0;
    if (whole * 1_000 >= half * half) return this.#halves(largestHalf, largestHalf);
    // Each half is exact in a double.
    const high = Math.floor(whole / half);
    const low = (whole - high * half) * 1_000;
    const carried = Math.floor(low / half);
    this.#halves(high * 1_000 + carried, low - carried * half);
  }

  double(field: number, value: number): void {
    this.#tag(field, wire.fixed64);
    this.view.setFloat64(this.end, value, true);
    this.end += 8;
  }

  /** Bytes that are given as hexadecimal digits. */
  hex(field: number, digits: string): void {
    const begin = this.open(field);
    this.room(digits.length);
    this.end += this.bytes.write(digits, begin, 'hex');
    this.close(begin);
  }

  text(field: number, text: string): void {
    const { length } = text;
    this.#tag(field, wire.delimited);
    const begin = this.end;
    this.room(length);
    this.varint(length);
    const bytes = this.bytes;
    let at = this.end;
    for (let i = 0; i < length; i += 1) {
      const code = text.charCodeAt(i);
      if (code > largestAscii) return this.#utf8(text, begin);
      bytes[at] = code;
      at += 1;
    }
    this.end = at;
  }

  /** Parts of a message that are encoded already. */
  parts(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Begins anew. */
  begin(): void {
    this.empty();
  }

  /** What was written, in memory of its own. */
  written(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes.subarray(0, this.end));
  }

  #utf8(text: string, begin: number): void {
    this.end = begin;
    this.#delimited(Buffer.from(text, 'utf8'));
  }

  #delimited(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.parts(bytes);
  }

  #tag(field: number, type: number): void {
    this.room(0);
    this.varint((field << 3) | type);
  }

  /** Writes an integer of 32 bits into room that there is. */
  protected varint(value: number): void {
    const bytes = this.bytes;
    let at = this.end;
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      bytes[at] = (rest & 0x7f) | 0x80;
      at += 1;
    }
    bytes[at] = rest;
    this.end = at + 1;
  }

  #varintByte(value: number): void {
    this.bytes[this.end] = value;
    this.end += 1;
  }

  /** A number of 64 bits, into room that there is. */
  #halves(high: number, low: number): void {
    this.view.setUint32(this.end, low, true);
    this.view.setUint32(this.end + 4, high, true);
    this.end += 8;
  }

  /** Makes room for so many bytes, and for a tag and a number. */
  protected room(count: number): void {
    const wanted = count + roomBesides;
    if (this.end + wanted > this.bytes.length) this.grow(wanted);
  }
}

/** Bytes of an integer of 32 bits. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes += 1;
  return bytes;
}
