import type { Configuration } from '../../config/configuration.ts';
import type { Code } from '../../core/contract/errors.ts';
import type { Family } from '../metrics/family.ts';
import type { LimitGroup } from '../rest/limits/rate-limits.ts';

/** What a worker is started with. It goes over the channel between the processes: environment and command line are for everybody to read. */
export interface WorkerData {
  /** From 1. One that replaces another has its number. */
  readonly worker: number;
  readonly configuration: Configuration;
  /** Where plugins are resolved from. */
  readonly plugins_from: string;
  readonly log_calls: boolean;
  readonly url: string;
  /** The address that the primary listens on. */
  readonly bound: string;
  /** Whether the primary runs a loop. */
  readonly loop: boolean;
}

/** What a worker asks the primary, and gets an answer to. */
export type Question =
  | { readonly ask: 'trouble' }
  | { readonly ask: 'measures' }
  | { readonly ask: 'check'; readonly instance: string }
  | { readonly ask: 'take'; readonly group: LimitGroup; readonly client: string };

export type ToWorker =
  | { readonly do: 'start'; readonly data: WorkerData }
  | { readonly do: 'looked'; readonly request_ids: readonly string[]; readonly at: number }
  /** Comes with the connection. */
  | { readonly do: 'serve'; readonly id: number; readonly local: boolean }
  | { readonly do: 'measure' }
  | { readonly do: 'hear'; readonly id: number; readonly answer?: unknown }
  | { readonly do: 'stop' };

export type FromWorker =
  | { readonly told: 'ready'; readonly greeting: string; readonly warnings: readonly string[] }
  /** It has the connection. */
  | { readonly told: 'taken'; readonly id: number }
  | { readonly told: 'failed'; readonly code?: Code; readonly message: string }
  /** It was told to end by somebody else, and takes no more connections. */
  | { readonly told: 'leaving' }
  | { readonly told: 'look'; readonly request_ids: readonly string[] }
  | { readonly told: 'measured'; readonly families: readonly Family[] }
  | { readonly told: 'question'; readonly id: number; readonly question: Question };
