import type { Clock } from '../clock.ts';
import type { FaultKind } from '../fault.ts';
import type { Log } from '../log.ts';

/** One call that a plugin made to its provider, for the metrics. */
export interface ProviderCall {
  /**
   * The provider's name of the call, for example `RunInstances`. One of a small fixed set: never an id, a URL or a
   * message.
   */
  readonly action: string;
  /** From 0 to a day. Less than 0 counts as 0; a call with any other value is not counted. */
  readonly ms: number;
  /** The kind of the fault that ended the call. Absent: the provider answered. */
  readonly kind?: FaultKind;
  /** The provider's code of that fault, for traces. */
  readonly code?: string;
}

/** What a provider type gets when it connects. */
export interface PluginContext {
  /** The configured name of this provider instance. */
  readonly instance: string;
  /**
   * Turns an endpoint of the configuration into a URL. `http(s)://` is returned unchanged; the plugin that registered
   * another scheme serves that scheme.
   */
  endpoint(url: string): Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * The random id of the installation, made once for each store. Tags with this id mark the resources of muster in a
   * cloud.
   */
  readonly installation: string;
  /**
   * Counts the calls that the plugin makes for this instance. The plugin records each call once, after it ended;
   * `record` never throws. Absent: the metrics only count calls into the plugin.
   */
  readonly calls?: { record(call: ProviderCall): void };
  /**
   * The part of the rate limits of its cloud that this broker may use now: 1, less while other brokers call a cloud of
   * the same identity. Never 0. Absent: 1.
   */
  share?(): number;
}

/** The context of every call into a plugin. */
export interface Call {
  /** Aborts at the time-out, when the claim is lost, and at shutdown. */
  readonly signal: AbortSignal;
  /**
   * Throws ClaimLost when this process no longer holds the claim, and a fault when the call has ended (it was
   * answered, timed out or was aborted). The plugin calls `fence` synchronously before every request that changes the
   * cloud, and lets the error pass.
   */
  fence(): void;
  /**
   * Records the id under which the provider knows a request that it got, for support cases: of requests that change
   * the provider, and of others that it refused. At most 128 characters. The plugin calls it before the call ends.
   * Absent: nobody records the ids.
   */
  recordCloudRequest?(id: string): void;
  readonly log: Log;
}
