import { TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { SpanAttributes } from '../../../../core/tracing/tracer.ts';
import type { SpanBatch } from '../../batch/span-batch.ts';
import { placedSpans } from '../placed-spans.ts';
import type { Origin } from '../trace-form.ts';
import { encodeAttributes, encodeSpan } from './encode-span.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

const traceRequest = { resource_spans: 1 };
const resourceSpans = { resource: 1, scope_spans: 2 };
const resourceFields = { attributes: 1 };
const scopeSpans = { scope: 1, spans: 2 };
const scopeFields = { name: 1, version: 2 };

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
  readonly #writer = new ProtobufWriter();

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  spansOf(batch: SpanBatch): readonly EncodedSpan[] {
    const { resource } = this.#origin;
    const writer = this.#writer;
    writer.begin();
    const ends = placedSpans(batch).map((span) => {
      encodeSpan(writer, scopeSpans.spans, span);
      return writer.size;
    });
    const bytes = writer.written();
    return ends.map((end, i) => ({ resource, spanContext, bytes: bytes.subarray(ends[i - 1] ?? 0, end) }));
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
