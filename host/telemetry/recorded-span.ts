import { traceparentOf, type TracePlace } from '../../core/tracing/trace-context.ts';
import type {
  LeafSpan,
  Span,
  SpanAttributes,
  SpanFailure,
  SpanKind,
  TraceContext,
} from '../../core/tracing/tracer.ts';

/** How a span begins, and what its end calls. */
export interface SpanBeginning extends TracePlace {
  readonly parent_id: string | null;
  readonly tracestate: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Monotonic milliseconds. */
  readonly start: number;
  readonly links: readonly TraceContext[] | undefined;
  readonly ended: (span: RecordedSpan) => void;
}

/** A leaf with the time of its end. */
export interface EndedLeaf {
  readonly leaf: LeafSpan;
  /** Monotonic milliseconds. */
  readonly end: number;
}

/** A span that runs. One of a trace that is not sampled keeps only its place, which its requests store. */
export class RecordedSpan implements Span {
  readonly beginning: SpanBeginning;
  /** As they came: to merge them costs a call more than to keep them apart. A later one takes precedence. */
  readonly attributes: SpanAttributes[];
  /** Undefined: there is none. */
  leaves: EndedLeaf[] | undefined;
  failure: SpanFailure | undefined;
  hasEnded = false;
  #context: TraceContext | undefined;

  constructor(beginning: SpanBeginning, attributes: SpanAttributes | undefined) {
    this.beginning = beginning;
    this.attributes = beginning.sampled && attributes ? [attributes] : [];
  }

  get context(): TraceContext {
    const { tracestate } = this.beginning;
    return (this.#context ??= {
      traceparent: traceparentOf(this.beginning),
      ...(tracestate === null ? {} : { tracestate }),
    });
  }

  set(attributes: SpanAttributes): void {
    if (this.beginning.sampled && !this.hasEnded) this.attributes.push(attributes);
  }

  fail(failure: SpanFailure): void {
    if (!this.hasEnded) this.failure = failure;
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { sampled, ended } = this.beginning;
    if (sampled) ended(this);
  }
}
