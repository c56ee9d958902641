import type { LoopHandle } from '../loop/loop-handle.ts';
import type { SpanBatch } from '../telemetry/batch/span-batch.ts';
import type { TracingData } from '../telemetry/telemetry.ts';
import type { Family } from '../metrics/family.ts';

/**
 * The connection of a worker process to the primary, which runs the loop and collects the metrics of all processes.
 */
export interface PrimaryLink {
  /** The number of this worker, from 1. */
  readonly worker: number;
  /** The broker that the primary runs. */
  readonly broker_id?: string;
  /**
   * Returns the loop in the primary; undefined when the server has none. `refreshed` is called with requests that the
   * loop refreshed.
   */
  loop(refreshed: (request_ids: readonly string[], at: number) => void): LoopHandle | undefined;
  /** How this process traces. Absent: it does not. */
  readonly tracing?: TracingData;
  /** Sends spans to the primary, which exports them. */
  readonly spans: (batch: SpanBatch) => void;
  /** Returns the metrics of all processes. */
  measures(): Promise<readonly (readonly Family[])[]>;
}
