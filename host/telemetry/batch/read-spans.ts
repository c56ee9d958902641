import type { SpanAttributes, SpanKind } from '../../../core/tracing/tracer.ts';
import { ByteReader } from './byte-reader.ts';
import type { Plain } from './plain-values.ts';
import type { ReadSpan, SpanBatch, SpanPlace } from './span-batch.ts';

/** The spans of a batch, in the order in which a SpanWriter wrote them. */
export function readSpans({ spans, names, bytes }: SpanBatch): readonly ReadSpan[] {
  const reader = new ByteReader(bytes);
  return Array.from({ length: spans }, () => ({ ...readFacts(reader, names), place: readPlace(reader) }));
}

/** What the next span of a batch says. Its place is behind it. */
export function readFacts(reader: ByteReader, names: SpanBatch['names']): Omit<ReadSpan, 'place'> {
  return {
    name: readName(reader, names),
    kind: readName(reader, names) as SpanKind,
    start: reader.number(),
    end: reader.number(),
    failure: valueIn<string | null>(reader),
    attributes: readAttributes(reader, names),
  };
}

/** The place of a span; undefined: it is below the one before it. */
export function readPlace(reader: ByteReader): SpanPlace | undefined {
  const trace_id = valueIn<string | null>(reader);
  if (trace_id === null) return undefined;
  const span_id = valueIn<string>(reader);
  const parent_id = valueIn<string | null>(reader);
  const tracestate = valueIn<string | null>(reader);
  const links = Array.from(
    { length: reader.count() },
    () => [valueIn<string>(reader), valueIn<string>(reader)] as const,
  );
  return { trace_id, span_id, parent_id, tracestate, links };
}

function readAttributes(reader: ByteReader, names: SpanBatch['names']): SpanAttributes {
  const attribute = () => [readName(reader, names), valueIn<string | number | boolean>(reader)] as const;
  // A later one takes precedence.
  return Object.fromEntries(Array.from({ length: reader.count() }, attribute));
}

const readName = (reader: ByteReader, names: SpanBatch['names']): string => names[reader.count()] ?? '';
const valueIn = <T extends Plain>(reader: ByteReader): T => reader.value() as T;
