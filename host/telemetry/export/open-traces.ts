import type { Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { TelemetryProtocol } from '../../../config/telemetry/telemetry-settings.ts';
import { thisPackage } from '../../process/this-package.ts';
import type { SpanBatch } from '../batch/span-batch.ts';
import type { FromExport } from './export-messages.ts';
import { FailureReports } from './failure-reports.ts';
import { numberIn } from './number-in.ts';
import { readableSpans } from './readable-spans.ts';
import type { Origin, TraceForm } from './trace-form.ts';

export interface Traces {
  add(batch: SpanBatch): void;
  /** Exports what is left. */
  close(): Promise<void>;
}

/** Opens the export of traces: the exporter of the protocol, and the queue of the SDK in front of it. */
export async function openTraces(
  protocol: TelemetryProtocol,
  resource: Resource,
  send: (message: FromExport) => void,
): Promise<Traces> {
  const reports = new FailureReports('traces', send);
  const maxQueueSize = numberIn('OTEL_BSP_MAX_QUEUE_SIZE', 8_192);
  const about = { resource, scope: { name: thisPackage.name, version: thisPackage.version } };
  const { exporter, spansOf } = await formOf(protocol, about);
  const processor = new BatchSpanProcessor({
    exporter: reported(exporter, reports),
    scheduledDelayMillis: numberIn('OTEL_BSP_SCHEDULE_DELAY', 1_000),
    maxQueueSize,
    maxExportBatchSize: Math.min(numberIn('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512), maxQueueSize),
  });
  return {
    add(batch) {
      try {
        for (const span of spansOf(batch)) processor.onEnd(span);
      } catch (error) {
        // A batch that cannot be read must not end the export of the others.
        reports.lost(batch.spans, error);
      }
    },
    close: () => processor.shutdown(),
  };
}

async function formOf(protocol: TelemetryProtocol, about: Origin): Promise<TraceForm> {
  if (protocol !== 'http/json') return (await import('./protobuf/protobuf-traces.ts')).protobufTraces(about);
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return { exporter: new OTLPTraceExporter(), spansOf: (batch) => readableSpans(batch, about) };
}

/** An exporter whose failures are reported. */
const reported = (exporter: SpanExporter, reports: FailureReports): SpanExporter => ({
  export(spans, done) {
    exporter.export(spans, (result) => {
      reports.ended(result, spans.length);
      done(result);
    });
  },
  shutdown: () => exporter.shutdown(),
  forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
});
