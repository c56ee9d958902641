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
import { newSpanId } from '../random-ids.ts';
import type { SpanRecord } from '../span-record.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
/** Characters of a text in an attribute at most. */
const longestText = 1_000;
const none: [] = [];
const unset = { code: SpanStatusCode.UNSET };

/** What all spans of a server have in common. */
export interface Origin {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
}

/** A record and its leaves, each in the form that the queue and the exporters of OpenTelemetry take. */
export function readableSpans(record: SpanRecord, origin: Origin): readonly ReadableSpan[] {
  const [, , trace_id, parent_id, , tracestate, , , , , , leaves] = record;
  const span = readableSpan(record, origin);
  if (leaves === null) return [span];
  const below = leaves.map(([name, start, end, attributes, failure]) => {
    const id = newSpanId();
    return readableSpan(
      [name, 'internal', trace_id, id, parent_id, tracestate, start, end, attributes, null, failure, null],
      origin,
    );
  });
  return [...below, span];
}

function readableSpan(record: SpanRecord, { resource, scope }: Origin): ReadableSpan {
  const [name, kind, trace_id, span_id, parent_id, tracestate, start, end, parts, links, failure] = record;
  const attributes = merged(parts);
  const code = failure === null ? '' : String(attributes['error.type'] ?? '');
  const context = placeOf(trace_id, span_id, tracestate);
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
    links: links === null ? none : links.map(([trace, span]) => ({ context: placeOf(trace, span) })),
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
  if (parent_id !== null) span.parentSpanContext = placeOf(trace_id, parent_id);
  return span;
}

const hrTime = (us: number): HrTime => [Math.trunc(us / 1e6), (us % 1e6) * 1_000];

/** A later part takes precedence; a long text is cut off. */
function merged(parts: readonly SpanAttributes[]): Attributes {
  const attributes: Attributes = {};
  for (const part of parts)
    for (const name in part) {
      const value = part[name];
      attributes[name] = typeof value === 'string' && value.length > longestText ? value.slice(0, longestText) : value;
    }
  return attributes;
}

function placeOf(traceId: string, spanId: string, tracestate: string | null = null): SpanContext {
  const traceFlags = TraceFlags.SAMPLED;
  if (tracestate === null) return { traceId, spanId, traceFlags };
  return { traceId, spanId, traceFlags, traceState: createTraceState(tracestate) };
}
