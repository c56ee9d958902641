import type { SpanAttributes, SpanKind } from '../../core/tracing/tracer.ts';

/**
 * An ended span as plain data, which can be sent between threads and processes: name, kind, trace, span, parent span,
 * `tracestate`, beginning and end in epoch microseconds, attributes, the trace and span of each link, and the message
 * of a failure, whose code is in the attributes. A list, because thousands a second are written and read.
 */
export type SpanRecord = readonly [
  name: string,
  kind: SpanKind,
  trace_id: string,
  span_id: string,
  parent_id: string | null,
  tracestate: string | null,
  start: number,
  end: number,
  attributes: SpanAttributes,
  links: readonly (readonly [trace_id: string, span_id: string])[] | null,
  failure: string | null,
];

/** Several spans as JSON: one text is cheaper to send than many objects. */
export interface SpanBatch {
  readonly json: string;
  readonly spans: number;
}
