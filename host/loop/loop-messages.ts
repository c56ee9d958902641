import type { Stoppage } from '../../core/providers/quarantine/stoppages.ts';
import type { Settings } from '../../core/reconciler/settings.ts';
import type { FileHashes } from '../../core/templates/library.ts';
import type { Checked } from '../../core/model/health.ts';
import type { DiscoverResult } from '../../core/providers/discover-now.ts';
import type { CallTiming, InstanceState } from '../../core/providers/provider-activity.ts';
import type { Quarantined } from '../../core/providers/quarantine/quarantine.ts';
import type { LoopParts } from '../../core/reconciler/running-loop.ts';
import type { Budget } from '../../core/budgets/budget.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { LogLine } from '../process/forwarded-log.ts';
import type { Family } from '../metrics/family.ts';
import type { SpanBatch } from '../telemetry/batch/span-batch.ts';
import type { TracingData } from '../telemetry/telemetry.ts';

/** The start data of a loop thread. */
export interface LoopThreadData {
  readonly configuration: Configuration;
  /** The directory from which plugins are resolved. */
  readonly plugins_from: string;
  readonly broker: LoopParts['broker'];
  readonly settings?: Partial<Settings>;
  /** Absent: those of the configuration. */
  readonly budgets?: readonly Budget[];
  /** Absent: the loop is not traced. */
  readonly tracing?: TracingData;
  /** The memory in which `SharedCallTracking` records open calls. */
  readonly call_memory: SharedArrayBuffer;
  /** The active quarantines. */
  readonly quarantine: readonly Quarantined[];
  /** Calls that stopped an earlier thread and are not stored yet. */
  readonly stopped: readonly Stoppage[];
}

/** What the interfaces ask the loop. */
export type LoopQuestion =
  | { readonly ask: 'check'; readonly instance: string }
  | { readonly ask: 'discover'; readonly instance: string }
  | { readonly ask: 'calls' }
  | { readonly ask: 'states' };
/** The answer of the loop; undefined when it has none, as for an instance that could not be checked. */
export type LoopAnswer = Checked | DiscoverResult | readonly CallTiming[] | readonly InstanceState[] | undefined;

export type ToLoop =
  | { readonly do: 'refresh'; readonly request_ids: readonly string[] }
  | { readonly do: 'describe'; readonly template_files: FileHashes }
  | { readonly do: 'budgets'; readonly budgets: readonly Budget[] }
  | { readonly do: 'answer'; readonly id: number; readonly question: LoopQuestion }
  | { readonly do: 'ping' }
  | { readonly do: 'measure' }
  | { readonly do: 'stop' };

export type FromLoop =
  | { readonly event: 'ready' }
  /** The tracked names, in the order of the call memory. Sent before any plugin is called. */
  | { readonly event: 'names'; readonly names: readonly string[] }
  /** `trouble`: why the loop does not process requests. */
  | { readonly event: 'pong'; readonly trouble?: string }
  | { readonly event: 'measured'; readonly families: readonly Family[] }
  | { readonly event: 'answered'; readonly id: number; readonly answer: LoopAnswer }
  | { readonly event: 'spans'; readonly batch: SpanBatch }
  | { readonly event: 'log'; readonly line: LogLine }
  | { readonly event: 'refreshed'; readonly request_ids: readonly string[]; readonly at: number };
