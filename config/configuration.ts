import type { ProviderInstance } from '../core/model/provider-instance.ts';
import type { BudgetEntry, ServerSettings } from './schema.ts';

export interface ConfiguredSink {
  readonly type: string;
  readonly name: string;
  readonly [option: string]: unknown;
}

/** The configuration that the broker uses: merged, checked, with defaults and absolute paths. */
export interface Configuration {
  /** As written. Paths and packages are resolved from the directory of the configuration file. */
  readonly plugins: readonly string[];
  readonly scheduler: string;
  /** `type`, and the options of that storage. */
  readonly storage: { readonly type: string; readonly [option: string]: unknown };
  readonly templates: { readonly directory: string };
  readonly providers: readonly ProviderInstance[];
  readonly budgets: readonly BudgetEntry[];
  /** The tags by which use is summed up. */
  readonly usage: { readonly tags: readonly string[] };
  /** Each sink: `type`, `name`, and the options of that type. */
  readonly events: { readonly sinks: readonly ConfiguredSink[] };
  readonly server: ServerSettings;
  /** The sections of services that plugins contribute, by name. Without its section a service sleeps. */
  readonly services: Readonly<Record<string, unknown>>;
  /** Where the broker keeps its state: `./data` beside the file, or the value of MUSTER_DATA_DIR. */
  readonly data_directory: string;
}
