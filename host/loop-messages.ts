import type { Settings } from '../core/lifecycle/settings.ts';
import type { Owner } from '../core/storage.ts';
import type { Configuration } from '../config/configuration.ts';
import type { LogLine } from './forwarded-log.ts';
import type { Family } from './metrics/family.ts';

/** What a loop thread is started with. */
export interface LoopThreadData {
  readonly configuration: Configuration;
  /** Where plugins are resolved from. */
  readonly plugins_from: string;
  readonly owner: Owner;
  readonly settings?: Partial<Settings>;
}

export type ToLoop =
  | { readonly do: 'look'; readonly request_ids: readonly string[] }
  | { readonly do: 'ping' }
  | { readonly do: 'measure' }
  | { readonly do: 'stop' };

export type FromLoop =
  | { readonly told: 'ready' }
  /** With what keeps the loop from carrying requests out, where something does. */
  | { readonly told: 'pong'; readonly trouble?: string }
  | { readonly told: 'measured'; readonly families: readonly Family[] }
  | { readonly told: 'log'; readonly line: LogLine }
  | { readonly told: 'looked'; readonly request_ids: readonly string[]; readonly at: number };
