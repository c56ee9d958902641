import type { Span, SpanAttributes, SpanFailure } from '../../core/tracing/tracer.ts';

/** What is recorded of a leaf. */
export interface EndedLeaf {
  readonly name: string;
  /** Monotonic milliseconds, as `end_ms`. */
  readonly start_ms: number;
  readonly end_ms: number;
  /** A later one takes precedence. */
  readonly attributes: readonly SpanAttributes[];
  readonly failure: SpanFailure | undefined;
}

/** A running span that has none below it. It is recorded with the span above it, which saves most of its cost. */
export class LeafSpan implements Span, EndedLeaf {
  readonly context = undefined;
  readonly name: string;
  readonly start_ms = performance.now();
  end_ms = 0;
  readonly attributes: SpanAttributes[];
  failure: SpanFailure | undefined;
  readonly #ended: (leaf: EndedLeaf) => void;

  constructor(name: string, attributes: SpanAttributes | undefined, ended: (leaf: EndedLeaf) => void) {
    this.name = name;
    this.attributes = attributes ? [attributes] : [];
    this.#ended = ended;
  }

  set(attributes: SpanAttributes): void {
    if (this.end_ms === 0) this.attributes.push(attributes);
  }

  fail(failure: SpanFailure): void {
    if (this.end_ms === 0) this.failure = failure;
  }

  end(): void {
    if (this.end_ms !== 0) return;
    this.end_ms = performance.now();
    this.#ended(this);
  }
}
