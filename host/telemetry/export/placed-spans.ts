import { newSpanId } from '../random-ids.ts';
import { readSpans } from '../batch/read-spans.ts';
import type { ReadSpan, SpanBatch, SpanPlace } from '../batch/span-batch.ts';

/** A span that says where it is. */
export interface PlacedSpan extends ReadSpan {
  readonly place: SpanPlace;
}

/** The spans of a batch; what has no place of its own gets one below the span before it. */
export function placedSpans(batch: SpanBatch): readonly PlacedSpan[] {
  let above: SpanPlace | undefined;
  return readSpans(batch).flatMap((span) => {
    above = span.place ?? above;
    const place = span.place ?? (above && placeBelow(above));
    return place ? { ...span, place } : [];
  });
}

/** A new place below another one. */
export const placeBelow = ({ trace_id, span_id: parent_id, tracestate }: SpanPlace): SpanPlace => ({
  trace_id,
  span_id: newSpanId(),
  parent_id,
  tracestate,
  links: [],
});
