import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  createTraceState,
  type Attributes,
  type HrTime,
  type SpanContext,
} from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { SpanAttributes } from '../../../core/tracing/tracer.ts';
import type { SpanRecord } from '../span-record.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
/** Characters of a text in an attribute at most. */
const longestText = 1_000;
const unset = { code: SpanStatusCode.UNSET };

/** A recorded span in the form that the queue and the exporters of OpenTelemetry take. */
export function readableSpan(
  record: SpanRecord,
  { resource, scope }: { readonly resource: Resource; readonly scope: InstrumentationScope },
): ReadableSpan {
  const [name, kind, trace_id, span_id, parent_id, tracestate, start, end, attributes, links, failure] = record;
  const code = String(attributes['error.type'] ?? '');
  const context = placeOf(trace_id, span_id, tracestate);
  const endTime = hrTime(end);
  return {
    name,
    kind: kinds[kind],
    spanContext: () => context,
    ...(parent_id === null ? {} : { parentSpanContext: placeOf(trace_id, parent_id) }),
    startTime: hrTime(start),
    endTime,
    duration: hrTime(end - start),
    ended: true,
    status: failure === null ? unset : { code: SpanStatusCode.ERROR, message: failure || code },
    attributes: bounded(attributes),
    links: (links ?? []).map(([trace, span]) => ({ context: placeOf(trace, span) })),
    events:
      failure === null
        ? []
        : [{ name: 'exception', time: endTime, attributes: { 'exception.type': code, 'exception.message': failure } }],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const hrTime = (us: number): HrTime => [Math.trunc(us / 1e6), (us % 1e6) * 1_000];

function bounded(attributes: SpanAttributes): Attributes {
  const within: Attributes = {};
  for (const [name, value] of Object.entries(attributes))
    within[name] = typeof value === 'string' && value.length > longestText ? value.slice(0, longestText) : value;
  return within;
}

function placeOf(traceId: string, spanId: string, tracestate: string | null = null): SpanContext {
  const place = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  return tracestate === null ? place : { ...place, traceState: createTraceState(tracestate) };
}
