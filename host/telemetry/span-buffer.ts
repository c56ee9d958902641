import type { SpanBatch } from './span-record.ts';

/** Some 150 spans. */
const capacity = 65_536;
const [open, comma, close] = [0x5b, 0x2c, 0x5d];

/**
 * Spans that wait to be sent, as JSON outside of the heap: there, each collection of young objects would copy those
 * that wait.
 */
export class SpanBuffer {
  readonly #bytes = Buffer.allocUnsafeSlow(capacity);
  #used = 0;
  #spans = 0;

  /** Adds a record of so many spans as JSON. Returns false, and adds nothing, when there is no room for it. */
  add(text: string, spans: number): boolean {
    // A UTF-16 code unit takes at most three bytes; a separator and the end of the list are added.
    if (this.#used + text.length * 3 + 2 > capacity) return false;
    this.#bytes[this.#used] = this.#spans === 0 ? open : comma;
    this.#used += 1 + this.#bytes.write(text, this.#used + 1, 'utf8');
    this.#spans += spans;
    return true;
  }

  /** The spans that wait, which wait no longer; undefined: there are none. */
  take(): SpanBatch | undefined {
    if (this.#spans === 0) return undefined;
    this.#bytes[this.#used] = close;
    const batch = { json: this.#bytes.toString('utf8', 0, this.#used + 1), spans: this.#spans };
    this.#used = 0;
    this.#spans = 0;
    return batch;
  }
}
