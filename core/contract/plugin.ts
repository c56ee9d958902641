import type { EventSink, EventSinkType } from './events.ts';
import type { Log } from './log.ts';
import type { ProviderApi } from './provider/provider-api.ts';
import type { ProviderType } from './provider/provider-type.ts';
import type { BrokerService } from './service/service.ts';
import type { SchedulerStrategy } from './scheduler.ts';
import type { StorageDriver } from './storage.ts';

/** Serves endpoints of a scheme other than http, for example `simulator:`. */
export interface EndpointScheme {
  /** The name of the scheme, without the colon. */
  readonly scheme: string;
  /**
   * Returns the URL of a running endpoint, or starts one. Called at the first use, and again when the address no
   * longer answers. `rest` is the text after the colon; instances with the same `rest` share one endpoint.
   */
  open(rest: string, context: EndpointContext): Promise<{ readonly url: string; close(): Promise<void> }>;
}

export interface EndpointContext {
  /** The directory for files that outlive the process. */
  readonly data_directory: string;
  readonly log: Log;
}

/** A plugin is data: a list of its contributions. Loading a plugin runs no code of its contributions. */
export interface Plugin {
  /** The name that the list `plugins:` of the configuration uses. */
  readonly name: string;
  /** The version of these interfaces that the plugin is written for. */
  readonly contract: 1;
  /** Plugins that must be configured too. Checked before any plugin starts. */
  readonly requires?: readonly string[];
  readonly providers?: readonly ProviderType<any, any>[];
  readonly providerApis?: readonly ProviderApi[];
  readonly schedulers?: readonly SchedulerStrategy[];
  readonly storages?: readonly StorageDriver<any>[];
  readonly eventSinks?: readonly EventSink[];
  readonly eventSinkTypes?: readonly EventSinkType<any>[];
  readonly endpoints?: readonly EndpointScheme[];
  readonly services?: readonly BrokerService<any>[];
}

const pluginMark = Symbol.for('muster.plugin');

/** Marks an object as a plugin. A plugin module has the plugin as its default export. */
export function definePlugin(plugin: Plugin): Plugin {
  return Object.freeze(Object.assign(Object.create(null), plugin, { [pluginMark]: true }));
}

/** Recognizes the result of `definePlugin`, also of another copy of this module. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && pluginMark in value;
}
