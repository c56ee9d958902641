import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  createTraceState,
  trace,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import type { SpanRecord } from '../span-record.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** Gives the SDK the ids with which a span was recorded. */
export class NextIds implements IdGenerator {
  next: Pick<SpanRecord, 'trace_id' | 'span_id'> = { trace_id: '', span_id: '' };

  generateTraceId(): string {
    return this.next.trace_id;
  }

  generateSpanId(): string {
    return this.next.span_id;
  }
}

/** Makes a span of the SDK from a recorded one, and ends it. */
export function replay(record: SpanRecord, tracer: Tracer, ids: NextIds): void {
  const { name, kind, trace_id, parent_id, tracestate, start, end, attributes, links = [], failure } = record;
  ids.next = record;
  const above = parent_id === undefined ? undefined : placeOf(trace_id, parent_id, tracestate);
  const span = tracer.startSpan(
    name,
    {
      kind: kinds[kind],
      attributes: { ...attributes },
      links: links.map((link) => ({ context: placeOf(link.trace_id, link.span_id) })),
      startTime: start,
    },
    above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT,
  );
  if (failure) {
    const { code, message } = failure;
    span.setStatus({ code: SpanStatusCode.ERROR, message: message === '' ? code : message });
    span.addEvent('exception', { 'exception.type': code, 'exception.message': message }, end);
  }
  span.end(end);
}

const placeOf = (traceId: string, spanId: string, tracestate?: string): SpanContext => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
  ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
});
