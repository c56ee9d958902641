import type { EventSink } from './events.ts';
import type { Log } from './log.ts';
import type { ProviderApi, ProviderType } from './provider.ts';
import type { SchedulerStrategy } from './scheduler.ts';
import type { StorageDriver } from './storage.ts';

/** Serves endpoints of a scheme that is not http, e.g. `simulator:`. */
export interface EndpointScheme {
  /** Without the colon. */
  readonly scheme: string;
  /**
   * Called at the first use, and again when nobody answers at the address any more: gives what runs already, or starts it. `rest` is what
   * follows the colon; several instances share what the same `rest` opens.
   */
  open(rest: string, context: EndpointContext): Promise<{ readonly url: string; close(): Promise<void> }>;
}

export interface EndpointContext {
  /** Where files that outlive the process go. */
  readonly data_directory: string;
  readonly log: Log;
}

/** A plugin is data: it lists what it contributes. Loading one runs nothing. */
export interface Plugin {
  /** As in `plugins:` of the configuration. */
  readonly name: string;
  /** The version of these interfaces that it was written for. */
  readonly contract: 1;
  /** Plugins that must be configured too; checked before anything starts. */
  readonly requires?: readonly string[];
  readonly providers?: readonly ProviderType<any, any>[];
  readonly providerApis?: readonly ProviderApi[];
  readonly schedulers?: readonly SchedulerStrategy[];
  readonly storages?: readonly StorageDriver<any>[];
  readonly eventSinks?: readonly EventSink[];
  readonly endpoints?: readonly EndpointScheme[];
}

const pluginMark = Symbol.for('muster.plugin');

/** Marks an object as a plugin. A plugin module exports it as default. */
export function definePlugin(plugin: Plugin): Plugin {
  return Object.freeze(Object.assign(Object.create(null), plugin, { [pluginMark]: true }));
}

/** Recognises what `definePlugin` made, also by another copy of this module. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && pluginMark in value;
}
