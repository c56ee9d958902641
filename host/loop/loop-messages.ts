import type { Stoppage } from '../../core/reconciler/background/stoppages.ts';
import type { Settings } from '../../core/reconciler/settings.ts';
import type { Checked } from '../../core/model/health.ts';
import type { Quarantined } from '../../core/providers/guard/session-pool.ts';
import type { Owner } from '../../core/contract/storage.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { LogLine } from '../process/forwarded-log.ts';
import type { Family } from '../metrics/family.ts';

/** What a loop thread is started with. */
export interface LoopThreadData {
  readonly configuration: Configuration;
  /** Where plugins are resolved from. */
  readonly plugins_from: string;
  readonly owner: Owner;
  readonly settings?: Partial<Settings>;
  /** Where it marks whose calls are under way: `SharedCallTracking`. */
  readonly marks: SharedArrayBuffer;
  /** Who is left alone for now. */
  readonly quarantine: readonly Quarantined[];
  /** Calls that stopped an earlier thread, and are not stored yet. */
  readonly stopped: readonly Stoppage[];
}

export type ToLoop =
  | { readonly do: 'look'; readonly request_ids: readonly string[] }
  | { readonly do: 'check'; readonly id: number; readonly instance: string }
  | { readonly do: 'ping' }
  | { readonly do: 'measure' }
  | { readonly do: 'stop' };

export type FromLoop =
  | { readonly told: 'ready' }
  /** Who has a place in the marks, in their order. Said before anything of a plugin is called. */
  | { readonly told: 'names'; readonly names: readonly string[] }
  /** With what keeps the loop from carrying requests out, where something does. */
  | { readonly told: 'pong'; readonly trouble?: string }
  | { readonly told: 'measured'; readonly families: readonly Family[] }
  /** Of an instance that was to be asked; nothing where that could not be. */
  | { readonly told: 'checked'; readonly id: number; readonly checked?: Checked }
  | { readonly told: 'log'; readonly line: LogLine }
  | { readonly told: 'looked'; readonly request_ids: readonly string[]; readonly at: number };
