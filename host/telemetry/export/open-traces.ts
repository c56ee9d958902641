import type { Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { TelemetryProtocol } from '../../../config/telemetry/telemetry-settings.ts';
import { thisPackage } from '../../process/this-package.ts';
import type { SpanBatch } from '../batch/span-batch.ts';
import type { FromExport } from './export-messages.ts';
import { FailureReports } from './failure-reports.ts';
import { numberIn } from './number-in.ts';
import { readableSpans } from './readable-spans.ts';

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
  const exporter = await exporterOf(protocol);
  const reports = new FailureReports('traces', send);
  const maxQueueSize = numberIn('OTEL_BSP_MAX_QUEUE_SIZE', 8_192);
  const processor = new BatchSpanProcessor({
    exporter: reported(exporter, reports),
    scheduledDelayMillis: numberIn('OTEL_BSP_SCHEDULE_DELAY', 1_000),
    maxQueueSize,
    maxExportBatchSize: Math.min(numberIn('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512), maxQueueSize),
  });
  const about = { resource, scope: { name: thisPackage.name, version: thisPackage.version } };
  return {
    add(batch) {
      for (const span of readableSpans(batch, about)) processor.onEnd(span);
    },
    close: () => processor.shutdown(),
  };
}

async function exporterOf(protocol: TelemetryProtocol): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'));
  return new OTLPTraceExporter();
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
