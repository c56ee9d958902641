import { traceparentOf, type TracePlace } from '../../core/tracing/trace-context.ts';
import type { Span, SpanAttributes, SpanFailure, SpanKind, TraceContext } from '../../core/tracing/tracer.ts';

/** Where a span is in its trace. */
export interface SpanPlace extends TracePlace {
  readonly parent_id: string | null;
  readonly tracestate: string | null;
}

export interface SpanBeginning {
  readonly name: string;
  readonly kind: SpanKind;
  /** Monotonic milliseconds. */
  readonly start: number;
  readonly links?: readonly TraceContext[] | undefined;
}

/** A span that runs. One of a trace that is not sampled keeps only its place, which its requests store. */
export class RecordedSpan implements Span {
  readonly place: SpanPlace;
  readonly beginning: SpanBeginning;
  readonly attributes: Record<string, string | number | boolean>;
  failure: SpanFailure | undefined;
  hasEnded = false;
  readonly #ended: (span: RecordedSpan) => void;
  #context: TraceContext | undefined;

  constructor(
    place: SpanPlace,
    beginning: SpanBeginning,
    attributes: SpanAttributes | undefined,
    ended: (span: RecordedSpan) => void,
  ) {
    this.place = place;
    this.beginning = beginning;
    // The span takes over the object: see `SpanStart`.
    this.attributes = (place.sampled && attributes) || {};
    this.#ended = ended;
  }

  get context(): TraceContext {
    const { tracestate } = this.place;
    return (this.#context ??= {
      traceparent: traceparentOf(this.place),
      ...(tracestate === null ? {} : { tracestate }),
    });
  }

  set(attributes: SpanAttributes): void {
    if (this.place.sampled && !this.hasEnded) Object.assign(this.attributes, attributes);
  }

  fail(failure: SpanFailure): void {
    if (!this.hasEnded) this.failure = failure;
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (this.place.sampled) this.#ended(this);
  }
}
