/** How traces are sampled that no caller decided about, or all of them. */
export interface SamplerSettings {
  /** Part of the traces, 0 to 1. */
  readonly ratio: number;
  /** The decision of the caller counts, where it made one. */
  readonly parent_based: boolean;
}

export type TelemetryProtocol = 'http/protobuf' | 'http/json';

/** The signals that go to an OpenTelemetry collector, and how. */
export interface TelemetrySettings {
  /** Absent: no traces. */
  readonly traces?: { readonly protocol: TelemetryProtocol; readonly sampler: SamplerSettings };
  /** Absent: no metrics. */
  readonly metrics?: { readonly protocol: TelemetryProtocol };
  /** The `OTEL_…` variables, for the exporters. Secret: headers are among them. */
  readonly variables: Readonly<Record<string, string>>;
}
