/** Bytes that are written one after the other into a buffer that grows. Writers make room, write, and move `end`. */
export abstract class GrowingBytes {
  readonly #usual: number;
  readonly #kept: number;
  protected bytes: Buffer<ArrayBuffer>;
  protected view: DataView<ArrayBuffer>;
  /** Where the next byte is written. */
  protected end = 0;

  /** A buffer of more than `kept` bytes is given back when it is empty. */
  constructor(usual: number, kept = usual) {
    this.#usual = usual;
    this.#kept = kept;
    this.bytes = Buffer.allocUnsafeSlow(usual);
    this.view = viewOf(this.bytes);
  }

  /** How many bytes are written. */
  get size(): number {
    return this.end;
  }

  /** Makes room for so many bytes. Writers ask themselves first whether there is room: that costs less. */
  protected grow(count: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * (this.end + count));
    larger.set(this.bytes);
    this.#use(larger);
  }

  /** Begins anew. */
  protected empty(): void {
    this.end = 0;
    if (this.bytes.length > this.#kept) this.#use(Buffer.allocUnsafeSlow(this.#usual));
  }

  #use(bytes: Buffer<ArrayBuffer>): void {
    this.bytes = bytes;
    this.view = viewOf(bytes);
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer<ArrayBuffer>): DataView<ArrayBuffer> =>
  new DataView(buffer, byteOffset, length);
