import type { Budget } from '../../core/budgets/budget.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Code } from '../../core/contract/errors.ts';
import type { Family } from '../metrics/family.ts';
import type { JsonBatch } from '../telemetry/batch/batch-as-json.ts';
import type { TracingData } from '../telemetry/telemetry.ts';
import type { LoopQuestion } from '../loop/loop-messages.ts';
import type { LimitGroup } from '../rest/limits/rate-limits.ts';

/**
 * The start data of a worker. They are sent over the channel between the processes, since every user can read
 * environment and command line of a process.
 */
export interface WorkerData {
  /** The number of the worker, from 1. A replacement has the number of its predecessor. */
  readonly worker: number;
  readonly configuration: Configuration;
  /** The directory from which plugins are resolved. */
  readonly plugins_from: string;
  readonly log_calls: boolean;
  readonly url: string;
  /** The address on which the primary listens. */
  readonly bound: string;
  /** The broker that the primary runs; absent when it runs no loop. */
  readonly broker_id?: string;
  /** Absent: calls are not traced. */
  readonly tracing?: TracingData;
  /** Absent: those of the configuration. */
  readonly budgets?: readonly Budget[];
}

/** A question of a worker that the primary answers. */
export type Question =
  | { readonly ask: 'trouble' }
  | { readonly ask: 'measures' }
  | LoopQuestion
  | { readonly ask: 'take'; readonly group: LimitGroup; readonly client: string };

export type ToWorker =
  | { readonly do: 'start'; readonly data: WorkerData }
  | { readonly do: 'refreshed'; readonly request_ids: readonly string[]; readonly at: number }
  /** Sent with the connection. */
  | { readonly do: 'serve'; readonly id: number; readonly local: boolean }
  /** From now on these budgets count. Confirmed by `using` with the same id. */
  | { readonly do: 'budgets'; readonly id: number; readonly budgets: readonly Budget[] }
  | { readonly do: 'measure' }
  /** Answer with the metrics of the broker's state, which are the same in every process. */
  | { readonly do: 'state' }
  /** The server is about to stop. */
  | { readonly do: 'drain' }
  | { readonly do: 'answer'; readonly id: number; readonly answer?: unknown }
  | { readonly do: 'stop' };

export type FromWorker =
  | { readonly event: 'ready'; readonly greeting: string; readonly warnings: readonly string[] }
  /** The worker holds the connection. */
  | { readonly event: 'taken'; readonly id: number }
  | { readonly event: 'failed'; readonly code?: Code; readonly message: string }
  /** Another process asked the worker to end; it accepts no more connections. */
  | { readonly event: 'leaving' }
  | { readonly event: 'using'; readonly id: number }
  | { readonly event: 'refresh'; readonly request_ids: readonly string[] }
  | { readonly event: 'measured'; readonly families: readonly Family[] }
  | { readonly event: 'state'; readonly families: readonly Family[] }
  | { readonly event: 'spans'; readonly batch: JsonBatch }
  | { readonly event: 'question'; readonly id: number; readonly question: Question };
