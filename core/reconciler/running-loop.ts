import type { Budget } from '../budgets/budget.ts';
import type { Clock } from '../contract/clock.ts';
import type { EventSink } from '../contract/events.ts';
import type { Log } from '../contract/log.ts';
import type { EndpointScheme } from '../contract/plugin.ts';
import type { ProviderApi } from '../contract/provider/provider-api.ts';
import type { ProviderType } from '../contract/provider/provider-type.ts';
import type { Store } from '../contract/storage.ts';
import type { BrokerRecord } from '../model/broker.ts';
import type { Checked } from '../model/health.ts';
import type { RequestRecord } from '../model/request.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { CallTracking } from '../providers/guard/call-tracking.ts';
import type { DiscoverResult } from '../providers/discover-now.ts';
import type { ProviderMeter } from '../providers/guard/meter/provider-meter.ts';
import type { InstanceState } from '../providers/provider-activity.ts';
import type { Quarantined } from '../providers/quarantine/quarantine.ts';
import type { Stoppage } from '../providers/quarantine/stoppages.ts';
import type { FileHashes } from '../templates/library.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { Settings } from './settings.ts';

export interface LoopParts {
  readonly store: Store;
  readonly instances: readonly ProviderInstance[];
  /** Default: none. */
  readonly budgets?: readonly Budget[];
  /** The names of the tags by which use is summed up. Default: none. */
  readonly usage_tags?: readonly string[];
  readonly types: readonly ProviderType<any, any>[];
  readonly apis: readonly ProviderApi[];
  readonly schemes: readonly EndpointScheme[];
  /** The receivers of the events of the journal. */
  readonly sinks?: readonly EventSink[];
  readonly data_directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** This broker. The loop adds what it can serve. */
  readonly broker: Omit<BrokerRecord, 'serves'>;
  readonly settings?: Partial<Settings>;
  readonly meter?: ProviderMeter;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Tracks which plugin code runs, for the diagnosis of hangs. */
  readonly watch?: CallTracking;
  /** Instances to which calls are paused, because their plugin blocked an earlier loop. */
  readonly quarantine?: readonly Quarantined[];
  /** Calls that stopped an earlier loop and are not stored yet. */
  readonly stopped?: readonly Stoppage[];
  /** Called in batches with the observed requests and the time of the observation (epoch milliseconds). */
  refreshed?(request_ids: readonly string[], at: number): void;
  /** Called once for each request or return whose end this process stored. Must not throw. */
  ended?(request: RequestRecord): void;
}

/** How many requests a broker has claimed. */
export interface HeldCounts {
  /** Those that it works on. */
  readonly requests: number;
  /** How many of them this broker cannot serve: then no live broker can. */
  readonly unserved: number;
  /** Others, which are left alone because their records cannot be read. */
  readonly unreadable: number;
}

export interface RunningLoop {
  /** Observes these requests now, each at most once in two seconds. */
  refresh(request_ids: readonly string[]): void;
  /** From now on these budgets count. */
  useBudgets(budgets: readonly Budget[]): void;
  /** This server uses these template files now. */
  describe(template_files: FileHashes): void;
  /** Checks an instance now and returns its health. Rejects with PROVIDER_NOT_FOUND when it is not configured. */
  check(instance: string): Promise<Checked>;
  /** Discovers the account of an instance. Rejects with PROVIDER_NOT_FOUND when it is not configured. */
  discover(instance: string): Promise<DiscoverResult>;
  /** How each configured instance stands. */
  states(): readonly InstanceState[];
  /** Code of a plugin failed for an instance outside any call. */
  failed(instance: string, message: string): void;
  held(): HeldCounts;
  /** Why the loop cannot continue; undefined when the storage serves. */
  trouble(): string | undefined;
  /** Ends running calls, yields the claims, closes the sessions. The store stays open. Idempotent. */
  stop(): Promise<void>;
}
