import type { SpanAttributes, SpanKind } from '../../core/tracing/tracer.ts';

/**
 * An ended span as plain data, which can be sent between threads and processes: name, kind, trace, span, parent span,
 * `tracestate`, beginning and end in epoch microseconds, attributes (a later object takes precedence), the trace and
 * span of each link, the message of a failure, whose code is in the attributes, and the spans below it that were
 * recorded with it. A list, because thousands a second are written and read.
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
  attributes: readonly SpanAttributes[],
  links: readonly (readonly [trace_id: string, span_id: string])[] | null,
  failure: string | null,
  leaves: readonly LeafRecord[] | null,
];

/** A span below the one whose record has it. It has no id, since no span is below it. */
export type LeafRecord = readonly [
  name: string,
  start: number,
  end: number,
  attributes: readonly SpanAttributes[],
  failure: string | null,
];

/** Several spans as JSON: one text is cheaper to send than many objects. */
export interface SpanBatch {
  readonly json: string;
  readonly spans: number;
}
