import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { ProtobufTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Origin, TraceForm } from '../trace-form.ts';
import { TraceEncoding, type EncodedSpan } from './trace-encoding.ts';

/**
 * Encodes spans at once, by their definitions. The serializer of the official packages takes twice as long, and
 * this thread shares its processors with those that answer calls; see docs/decisions/tracing.md. What sends them, with
 * the repetitions, limits and settings of the environment, are the official packages.
 */
export function protobufTraces(origin: Origin): TraceForm {
  const encoding = new TraceEncoding(origin);
  // The queue of the SDK hands on what it gets, and reads of it what an EncodedSpan has.
  const serializer = {
    serializeRequest: (spans: ReadableSpan[]) => encoding.requestOf(spans as unknown as readonly EncodedSpan[]),
    deserializeResponse: (answer: Uint8Array) => ProtobufTraceSerializer.deserializeResponse(answer),
  };
  const options = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': 'application/x-protobuf' });
  const type = 'otlp_http_span_exporter';
  const delegate = createOtlpHttpExportDelegate(options, serializer, type, TraceExporterMetricsHelper, undefined);
  return {
    exporter: new OTLPExporterBase(delegate),
    spansOf: (batch) => encoding.spansOf(batch) as unknown as readonly ReadableSpan[],
  };
}
