import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  createTraceState,
  type HrTime,
  type SpanContext,
} from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { SpanBatch } from '../batch/span-batch.ts';
import { exceptionOf } from './exception-of.ts';
import type { Origin } from './trace-form.ts';
import { placedSpans, type PlacedSpan } from './placed-spans.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
const none: [] = [];
const unset = { code: SpanStatusCode.UNSET };

/** The spans of a batch, in the form that the queue and the exporters of OpenTelemetry take. */
export function readableSpans(batch: SpanBatch, origin: Origin): readonly ReadableSpan[] {
  return placedSpans(batch).map((span) => readableSpan(span, origin));
}

function readableSpan(placed: PlacedSpan, { resource, scope }: Origin): ReadableSpan {
  const { name, kind, start, end, attributes, place } = placed;
  const { trace_id, span_id, parent_id, tracestate, links } = place;
  const exception = exceptionOf(placed);
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
    status: exception ? { code: SpanStatusCode.ERROR, message: exception.message } : unset,
    attributes,
    links: links.length === 0 ? none : links.map(([trace, linked]) => ({ context: contextOf(trace, linked) })),
    events: exception ? [{ name: exception.name, time: endTime, attributes: exception.attributes }] : none,
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
