import type { SpanAttributes, SpanKind } from '../../../core/tracing/tracer.ts';

/** Several ended spans, as the threads and processes of a server send them to the one that exports. */
export interface SpanBatch {
  readonly spans: number;
  /** The names of spans and attributes, which `bytes` has as positions in this list. */
  readonly names: readonly string[];
  /** The spans. Who recorded them writes the next ones here: what takes a batch copies or posts it at once. */
  readonly bytes: Uint8Array;
}

/** Where a span is, and what it is linked to. */
export interface SpanPlace {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_id: string | null;
  readonly tracestate: string | null;
  readonly links: readonly (readonly [trace_id: string, span_id: string])[];
}

/** What an ended span says. */
export interface SpanFacts {
  readonly name: string;
  readonly kind: SpanKind;
  /** Epoch microseconds, as `end`. */
  readonly start: number;
  readonly end: number;
  /** A later object takes precedence. */
  readonly attributes: readonly SpanAttributes[];
  /** The message of a failure; its code is in the attributes. */
  readonly failure: string | null;
}

/** A span that was read. Without a place, it is below the one before it that has one, and no span is below it. */
export interface ReadSpan extends Omit<SpanFacts, 'attributes'> {
  readonly attributes: SpanAttributes;
  readonly place: SpanPlace | undefined;
}
