import type { SpanAttributes, SpanKind } from '../../../core/tracing/tracer.ts';
import { ByteReader } from './byte-reader.ts';
import type { Plain } from './plain-values.ts';
import type { ReadSpan, SpanBatch, SpanPlace } from './span-batch.ts';

/** The spans of a batch, in the order in which a SpanWriter wrote them. */
export function readSpans(batch: SpanBatch): readonly ReadSpan[] {
  const { spans, names } = batch;
  const bytes = new ByteReader(batch.bytes);
  const name = (): string => names[bytes.count()] ?? '';
  const value = <T extends Plain>(): T => bytes.value() as T;
  return Array.from({ length: spans }, () => ({
    name: name(),
    kind: name() as SpanKind,
    start: bytes.number(),
    end: bytes.number(),
    failure: value<string | null>(),
    attributes: attributesFrom(bytes.count()),
    place: placeFrom(value<string | null>()),
  }));

  function attributesFrom(count: number): SpanAttributes {
    const attributes: Record<string, string | number | boolean> = {};
    for (let left = count; left > 0; left -= 1) {
      const key = name();
      attributes[key] = value<string | number | boolean>();
    }
    return attributes;
  }

  function placeFrom(trace_id: string | null): SpanPlace | undefined {
    if (trace_id === null) return undefined;
    const [span_id, parent_id, tracestate] = [value<string>(), value<string | null>(), value<string | null>()];
    const links = Array.from({ length: bytes.count() }, () => [value<string>(), value<string>()] as const);
    return { trace_id, span_id, parent_id, tracestate, links };
  }
}
