import type { TelemetrySettings } from '../../../config/telemetry/telemetry-settings.ts';
import type { Family } from '../../metrics/family.ts';
import type { SpanBatch } from '../batch/span-batch.ts';

/** The start data of the thread that exports. The `OTEL_…` variables are its environment. */
export interface ExportThreadData {
  readonly settings: Omit<TelemetrySettings, 'variables'>;
  /** Attributes of this server. */
  readonly resource: Readonly<Record<string, string>>;
}

export type ToExport =
  | { readonly do: 'spans'; readonly batch: SpanBatch }
  /** Absent families: they could not be read. */
  | { readonly do: 'families'; readonly id: number; readonly families?: readonly Family[] }
  /** Export everything, then end. */
  | { readonly do: 'close' };

export type FromExport =
  | { readonly event: 'ready' }
  /** A batch was taken over. */
  | { readonly event: 'taken' }
  | { readonly event: 'families'; readonly id: number }
  | ExportFailed
  /** The collector takes a signal again. */
  | { readonly event: 'recovered'; readonly signal: Signal }
  | { readonly event: 'closed' };

export type Signal = 'traces' | 'metrics';

export interface ExportFailed {
  readonly event: 'failed';
  readonly signal: Signal;
  /** How many spans, or exports of metrics, were lost since the last report. */
  readonly lost: number;
  readonly reason: string;
}
