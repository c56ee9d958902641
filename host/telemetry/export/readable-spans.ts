import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  createTraceState,
  type HrTime,
  type SpanContext,
} from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { newSpanId } from '../random-ids.ts';
import { readSpans } from '../batch/read-spans.ts';
import type { ReadSpan, SpanBatch, SpanPlace } from '../batch/span-batch.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
const none: [] = [];
const unset = { code: SpanStatusCode.UNSET };

/** What all spans of a server have in common. */
export interface Origin {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
}

/** The spans of a batch, in the form that the queue and the exporters of OpenTelemetry take. */
export function readableSpans(batch: SpanBatch, origin: Origin): readonly ReadableSpan[] {
  let above: SpanPlace | undefined;
  return readSpans(batch).flatMap((span) => {
    above = span.place ?? above;
    const place = span.place ?? (above && placeBelow(above));
    return place ? readableSpan(span, place, origin) : [];
  });
}

const placeBelow = ({ trace_id, span_id: parent_id, tracestate }: SpanPlace): SpanPlace => ({
  trace_id,
  span_id: newSpanId(),
  parent_id,
  tracestate,
  links: none,
});

function readableSpan(
  { name, kind, start, end, attributes, failure }: ReadSpan,
  { trace_id, span_id, parent_id, tracestate, links }: SpanPlace,
  { resource, scope }: Origin,
): ReadableSpan {
  const code = failure === null ? '' : String(attributes['error.type'] ?? '');
  const context = contextOf(trace_id, span_id, tracestate);
  const endTime = hrTime(end);
  const span: ReadableSpan & { parentSpanContext?: SpanContext } = {
    name,
    kind: kinds[kind],
    spanContext: () => context,
    startTime: hrTime(start),
    endTime,
    duration: hrTime(end - start),
    ended: true,
    status: failure === null ? unset : { code: SpanStatusCode.ERROR, message: failure || code },
    attributes,
    links: links.length === 0 ? none : links.map(([trace, linked]) => ({ context: contextOf(trace, linked) })),
    events:
      failure === null
        ? none
        : [{ name: 'exception', time: endTime, attributes: { 'exception.type': code, 'exception.message': failure } }],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
  if (parent_id !== null) span.parentSpanContext = contextOf(trace_id, parent_id);
  return span;
}

const hrTime = (us: number): HrTime => [Math.trunc(us / 1e6), (us % 1e6) * 1_000];

function contextOf(traceId: string, spanId: string, tracestate: string | null = null): SpanContext {
  const traceFlags = TraceFlags.SAMPLED;
  if (tracestate === null) return { traceId, spanId, traceFlags };
  return { traceId, spanId, traceFlags, traceState: createTraceState(tracestate) };
}
