/** A variable of OpenTelemetry that muster honors. */
export interface TelemetryVariable {
  readonly name: string;
  /** Empty: none. */
  readonly standard: string;
  readonly meaning: string;
}

/** The standard variables of OpenTelemetry that muster honors. `…` in a name stands for TRACES or METRICS. */
export const telemetryVariables: readonly TelemetryVariable[] = [
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    standard: '',
    meaning: 'The collector: traces go to `/v1/traces` below this URL, metrics to `/v1/metrics`. Unset: no telemetry.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_…_ENDPOINT',
    standard: '',
    meaning: 'The complete URL of one signal. It alone also turns that signal on.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL, OTEL_EXPORTER_OTLP_…_PROTOCOL',
    standard: '`http/protobuf`',
    meaning: '`http/protobuf` or `http/json`. With `grpc`, which muster does not speak, the signal stays off.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_…_HEADERS',
    standard: '',
    meaning: 'Headers of each export, as `name=value,name=value`. Secret: the log masks the values.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT, OTEL_EXPORTER_OTLP_…_TIMEOUT',
    standard: '`10000`',
    meaning: 'Milliseconds for one export, its repetitions included.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_COMPRESSION, OTEL_EXPORTER_OTLP_…_COMPRESSION',
    standard: '`none`',
    meaning: '`none` or `gzip`.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_CERTIFICATE, …_CLIENT_CERTIFICATE, …_CLIENT_KEY',
    standard: '',
    meaning: 'Files with certificates and key, for a collector behind TLS.',
  },
  { name: 'OTEL_SERVICE_NAME', standard: '`muster`', meaning: 'The name of the service in traces and metrics.' },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    standard: '',
    meaning: 'Further attributes of the service, as `deployment.environment.name=prod,team=hpc`.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG',
    standard: '`parentbased_always_on`',
    meaning:
      '`always_on`, `always_off`, `traceidratio`, `parentbased_always_on`, `parentbased_always_off` or `parentbased_traceidratio`; the argument is the ratio, 0 to 1.',
  },
  {
    name: 'OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER',
    standard: '`otlp`',
    meaning: '`otlp`, or `none` to turn one signal off.',
  },
  {
    name: 'OTEL_BSP_SCHEDULE_DELAY, OTEL_BSP_MAX_QUEUE_SIZE, OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    standard: '`1000`, `8192`, `512`',
    meaning: 'Milliseconds between exports of spans, spans that wait at most, and spans of one export.',
  },
  { name: 'OTEL_METRIC_EXPORT_INTERVAL', standard: '`60000`', meaning: 'Milliseconds between exports of metrics.' },
  { name: 'OTEL_SDK_DISABLED', standard: '`false`', meaning: '`true` turns all telemetry off.' },
];
