import type { SpanAttributes, SpanFailure, SpanKind } from '../../core/tracing/tracer.ts';

/** An ended span as plain data, which can be sent between threads and processes. */
export interface SpanRecord {
  readonly name: string;
  readonly kind: SpanKind;
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_id?: string | undefined;
  readonly tracestate?: string | undefined;
  /** Epoch milliseconds, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly attributes: SpanAttributes;
  readonly links?: readonly { readonly trace_id: string; readonly span_id: string }[];
  readonly failure?: SpanFailure | undefined;
}

/** Several spans as JSON: one text is cheaper to send than many objects. */
export interface SpanBatch {
  readonly json: string;
  readonly spans: number;
}
