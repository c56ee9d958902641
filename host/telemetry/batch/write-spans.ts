import { ByteWriter } from './byte-writer.ts';
import type { SpanBatch, SpanFacts, SpanPlace } from './span-batch.ts';

/**
 * Spans that wait to be sent. Each is written when it ends, while the caches of the processor have its values, and
 * outside of the heap: there, each collection of young objects would copy those that wait. `readSpans` reads them.
 */
export class SpanWriter {
  readonly #bytes = new ByteWriter();
  #names = new Map<string, number>();
  #spans = 0;

  /** How many bytes wait. */
  get size(): number {
    return this.#bytes.size;
  }

  /** Adds a span; without a place, one below the last that had one. */
  add({ name, kind, start, end, attributes, failure }: SpanFacts, place?: SpanPlace): void {
    const bytes = this.#bytes;
    this.#spans += 1;
    bytes.count(this.#positionOf(name));
    bytes.count(this.#positionOf(kind));
    bytes.number(start);
    bytes.number(end);
    bytes.value(failure);
    const countedAt = bytes.count(0);
    let written = 0;
    for (const part of attributes)
      for (const key in part) {
        const value = part[key];
        if (value === undefined) continue;
        bytes.count(this.#positionOf(key));
        bytes.value(value);
        written += 1;
      }
    bytes.recount(countedAt, written);
    bytes.value(place ? place.trace_id : null);
    if (!place) return;
    bytes.value(place.span_id);
    bytes.value(place.parent_id);
    bytes.value(place.tracestate);
    bytes.count(place.links.length);
    for (const [trace_id, span_id] of place.links) {
      bytes.value(trace_id);
      bytes.value(span_id);
    }
  }

  /** The spans that wait, which wait no longer; undefined: there are none. Their bytes are valid until the next call. */
  take(): SpanBatch | undefined {
    if (this.#spans === 0) return undefined;
    const batch = { spans: this.#spans, names: [...this.#names.keys()], bytes: this.#bytes.take() };
    this.#spans = 0;
    this.#names = new Map();
    return batch;
  }

  #positionOf(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const position = this.#names.size;
    this.#names.set(name, position);
    return position;
  }
}
