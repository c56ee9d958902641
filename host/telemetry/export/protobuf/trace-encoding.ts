import { TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { SpanAttributes } from '../../../../core/tracing/tracer.ts';
import type { SpanBatch, SpanPlace } from '../../batch/span-batch.ts';
import { ByteReader } from '../../batch/byte-reader.ts';
import { readFacts, readPlace } from '../../batch/read-spans.ts';
import { placeBelow } from '../placed-spans.ts';
import type { Origin } from '../trace-form.ts';
import { encodeAttributes, encodeSpan } from './encode-span.ts';
import { PlainSpanWriter } from './plain-span-writer.ts';
import { resourceFields, resourceSpans, scopeFields, scopeSpans, traceRequest } from './span-fields.ts';

/** Of a span that is encoded already, what the queue of the SDK asks for. */
export interface EncodedSpan extends Pick<ReadableSpan, 'resource' | 'spanContext'> {
  /** The span as a field of ScopeSpans. */
  readonly bytes: Uint8Array;
}

/** Bytes for the length of a request: few have less than 16 384 bytes. */
const requestLengthBytes = 3;
const context = { traceId: '', spanId: '', traceFlags: TraceFlags.SAMPLED };
const spanContext = () => context;

/** Encodes the spans of a server. */
export class TraceEncoding {
  readonly #origin: Origin;
  readonly #writer = new PlainSpanWriter();

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  spansOf(batch: SpanBatch): readonly EncodedSpan[] {
    const { resource } = this.#origin;
    const ends = this.#encode(batch);
    const bytes = this.#writer.written();
    return ends.map((end, i) => ({ resource, spanContext, bytes: bytes.subarray(ends[i - 1] ?? 0, end) }));
  }

  /** Returns where the spans end. */
  #encode({ bytes, names, spans }: SpanBatch): readonly number[] {
    const writer = this.#writer;
    const reader = new ByteReader(bytes);
    /** Where the last place is in the batch. */
    let above: number | undefined;
    writer.beginBatch(bytes, names);
    return Array.from({ length: spans }, () => {
      const plain = writer.plainSpan(reader.at, above);
      if (plain) {
        reader.at = plain.next;
        above = plain.place;
        return writer.size;
      }
      const facts = readFacts(reader, names);
      const at = reader.at;
      const own = readPlace(reader);
      const place = own ?? (above === undefined ? undefined : placeBelow(placeAt(reader, above)));
      if (own) above = at;
      if (place) encodeSpan(writer, scopeSpans.spans, { ...facts, place });
      return writer.size;
    });
  }

  /** The body of a call that exports spans. */
  requestOf(spans: readonly EncodedSpan[]): Uint8Array {
    const { resource, scope } = this.#origin;
    const writer = this.#writer;
    writer.begin();
    const request = writer.open(traceRequest.resource_spans, requestLengthBytes);
    const about = writer.open(resourceSpans.resource);
    // They are texts: those of the SDK, of this server and of the environment.
    encodeAttributes(writer, resourceFields.attributes, resource.attributes as SpanAttributes);
    writer.close(about);
    const scoped = writer.open(resourceSpans.scope_spans, requestLengthBytes);
    const named = writer.open(scopeSpans.scope);
    writer.text(scopeFields.name, scope.name);
    if (scope.version !== undefined) writer.text(scopeFields.version, scope.version);
    writer.close(named);
    for (const { bytes } of spans) writer.parts(bytes);
    writer.close(scoped, requestLengthBytes);
    writer.close(request, requestLengthBytes);
    return writer.written();
  }
}

function placeAt(reader: ByteReader, at: number): SpanPlace {
  const { at: next } = reader;
  reader.at = at;
  const place = readPlace(reader);
  reader.at = next;
  if (!place) throw new Error('A span is below one that has no place.');
  return place;
}
