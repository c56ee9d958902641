import type { Resource } from '@opentelemetry/resources';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type CollectionResult,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { TelemetryProtocol } from '../../../config/telemetry/telemetry-settings.ts';
import { thisPackage } from '../../process/this-package.ts';
import type { Family } from '../../metrics/family.ts';
import type { FromExport } from './export-messages.ts';
import { FailureReports } from './failure-reports.ts';
import { metricData } from './metric-data.ts';
import { numberIn } from './number-in.ts';

export interface Metrics {
  /** The families of a question; undefined when they could not be read. */
  answered(id: number, families: readonly Family[] | undefined): void;
  /** Exports the metrics once more. */
  close(): Promise<void>;
}

/** Opens the export of metrics. They are measured once: each export shows the numbers of `/metrics` at that time. */
export async function openMetrics(
  protocol: TelemetryProtocol,
  resource: Resource,
  send: (message: FromExport) => void,
): Promise<Metrics> {
  const began = Date.now();
  const exporter = await exporterOf(protocol);
  const waiting = new Map<number, (families: readonly Family[] | undefined) => void>();
  let questions = 0;

  const ask = (): Promise<readonly Family[] | undefined> => {
    const { promise, resolve } = Promise.withResolvers<readonly Family[] | undefined>();
    const id = questions++;
    waiting.set(id, resolve);
    send({ event: 'families', id });
    return promise;
  };
  async function collect(): Promise<CollectionResult> {
    const metrics = metricData((await ask()) ?? [], { began, now: Date.now() });
    const scope = { name: thisPackage.name, version: thisPackage.version };
    return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
  }
  const exportIntervalMillis = numberIn('OTEL_METRIC_EXPORT_INTERVAL', 60_000);
  const reader = new PeriodicExportingMetricReader({
    exporter: reported(exporter, new FailureReports('metrics', send)),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(numberIn('OTEL_METRIC_EXPORT_TIMEOUT', 30_000), exportIntervalMillis),
    metricProducers: [{ collect }],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return {
    answered(id, families) {
      waiting.get(id)?.(families);
      waiting.delete(id);
    },
    close: () => provider.shutdown(),
  };
}

async function exporterOf(protocol: TelemetryProtocol): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-metrics-otlp-http')
    : import('@opentelemetry/exporter-metrics-otlp-proto'));
  return new OTLPMetricExporter();
}

/** An exporter whose failures are reported. The numbers are cumulative, whatever a collector prefers. */
const reported = (exporter: PushMetricExporter, reports: FailureReports): PushMetricExporter => ({
  export(metrics, done) {
    exporter.export(metrics, (result) => {
      reports.ended(result, 1);
      done(result);
    });
  },
  shutdown: () => exporter.shutdown(),
  forceFlush: () => exporter.forceFlush(),
});
